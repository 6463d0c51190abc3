"""Which names gate: words of keys, by kind (labels guide F1, F10). Data only; add words here.

A word is one part of a snake_case name. `kinds.py` says in which order the tables are asked.
"""

from typing import Final

from guard.facts.wordlist import word_set

RETRY: Final = word_set(
    """
    retry retries retrying retryable retried attempts tries backoff restart restarts autorestart
    startretries abort aborts continue failfast bail requeue redeliver redelivery reconnect
    failover when unless numretries maxretries maxattempts respawn
    """
)
"""Whether something is tried again, stopped or gone on with."""

RETRY_PHRASES: Final = word_set(
    """
    fail_fast on_error on_failure on_fail on_exit on_timeout stop_on halt_on exit_on ignore_errors
    ignore_failure max_errors max_failures max_fails error_limit allow_failure run_if only_if
    skip_if not_if run_when dead_letter give_up circuit_breaker failure_policy error_policy
    stop_at_first
    """
)
"""The same, when several words stand together."""

RETRY_LEAVES: Final = word_set("if condition only_if run_if when unless errexit onfailure rules_if")
"""The same, only as a whole last name."""

PERMISSION: Final = word_set(
    """
    allow allowed allows allowlist whitelist deny denied denies denylist blacklist blocklist
    blocked forbid forbidden forbids permit permits permitted permission permissions approval
    approvals approve approver approvers approved reviewer reviewers signoff readonly privileged
    sandboxed protect protected protection immutable acl acls rbac scopes grants cidr cidrs sudo
    restricted restrict require requires required confirm confirmation exclude excluded excludes
    bypass dangerously runas trusted untrusted consent signature signatures quorum access
    visibility firewall egress ingress umask unprivileged capabilities allowedtools
    disallowedtools disallowed disallow consents authorised authorized privilege nopasswd
    dangerous
    """
)
"""Who may do what, and whose yes it takes."""

PERMISSION_PHRASES: Final = word_set(
    """
    read_only write_only write_access cap_drop cap_add security_opt run_as as_user prevent_destroy
    network_access network_mode sandbox_mode permission_mode approval_policy approval_mode
    no_new_privileges service_account four_eyes two_person sign_off additional_directories add_dir
    default_mode code_owners api_groups no_write no_network writable_roots may_write can_write
    can_push can_delete can_deploy
    """
)

LIMIT: Final = word_set(
    """
    timeout timeouts deadline limit limits max maximum min minimum quota quotas ttl budget cap
    capacity threshold ceiling floor rate percent percentage pct interval delay concurrency
    parallelism parallel workers replicas threads pool burst throttle memory mem cpu cpus
    retention keep keepalive expiry expires expire lifetime grace batch amount seconds secs sec ms
    millis milliseconds minutes mins hours days usd eur storage disk quantum backlog numprocs
    nproc nofile ulimit maxmemory maxconn maxsize maxlen minsize spend spending allowance cooldown
    cutoff debounce rollout instances surge unavailable retain maxclients maxconnections processes
    connections prefetch inflight
    """
)
"""Size, count, time, rate, money."""

LIMIT_PHRASES: Final = word_set(
    """
    per_hour per_minute per_day per_second per_run per_user pool_size batch_size chunk_size
    queue_size body_size heap_size file_size buffer_size cache_size size_limit line_limit
    desired_count node_count min_count max_count instance_count replica_count worker_count
    task_count desired_capacity max_depth max_age page_limit
    """
)

STRONG_LIMIT: Final = word_set(
    """
    timeout timeouts deadline limit limits max maximum min minimum quota quotas ttl budget cap
    threshold ceiling floor concurrency retention maxmemory cooldown cutoff
    """
)
"""Limit words that stay limits where measured values stand too (logs, prose, code)."""

TARGET: Final = word_set(
    """
    host hosts hostname port ports url uri endpoint endpoints server servers database databases db
    dbname dbhost branch branches env environment environments account accounts region regions
    zone zones profile namespace namespaces project bucket buckets topic topics table tables queue
    queues cluster clusters context datacenter datacenters registry sender recipient recipients
    channel channels tenant subscription broker brokers pghost pgport pgdatabase pguser domain
    collection keyspace upstream address stage remote workspace organization organisation org dsn
    destination target targets site exchange location hostaddr webhook baseurl schema stack listen
    bind expose origin mailbox bead ticket issue task story epic pull_request pr repo vpc subnet
    subnets listener origins
    """
)
"""Where an act lands: machine, data, branch, account."""

WEAK_TARGET: Final = word_set(
    """
    url uri site domain target targets stack origin origins location address schema destination
    org organization organisation collection remote listen bind stage workspace login profile role
    channel ports name ref repo server
    """
)
"""Targets in a settings file or a command; in logs and answers mere addresses and descriptions."""

WEIGHTY_URLS: Final = word_set(
    """
    base_url api_url database_url db_url webhook_url service_url server_url target_url
    endpoint_url broker_url redis_url
    """
)

TARGET_USERS: Final = word_set("user username login dbuser role")
"""Whose rights an act uses: a target in a log or a connection, a permission for a process."""

ADDRESS_LEAVES: Final = word_set("from to cc bcc reply_to mail_from mail_to")
"""Targets only when the value is an address or the parent is about mail."""

NAMED_BY_PARENT: Final = word_set("name id default value current identifier ref")
"""Last names that mean nothing alone and borrow the kind of their parent."""

IDENTIFIED: Final = word_set(
    """
    account project volume instance tenant subscription cluster customer organization organisation
    workspace team channel bucket database queue vpc subnet zone stack
    """
)
"""`volume_id`: an identifier of one of these is a target."""

FLAG: Final = word_set(
    """
    enabled enable enables disable disabled dryrun force live sandbox auto automerge autoscale
    autoscaling autocommit autodeploy autoapprove autofix private killswitch mode skip verify
    validate interactive simulate simulation idempotence idempotent maintenance purge prune
    overwrite destroy autostart noop unattended armed frozen freeze paused pause suspend suspended
    rehearsal sandboxed automount safemode
    """
)
"""Whether something happens at all."""

FLAG_PHRASES: Final = word_set(
    """
    dry_run kill_switch test_mode safe_mode auto_merge auto_approve auto_deploy assume_yes
    fail_open fail_closed cancel_in_progress force_push no_verify no_confirm check_mode what_if
    read_write allow_empty skip_final feature_flag no_dry no_push no_deploy no_delete no_commit
    no_backup no_migrate no_input non_interactive force_with
    """
)

BARE_FLAGS: Final = word_set(
    """
    yes confirm publish deploy send notify delete migrate backup rollback commit push overwrite
    apply wait atomic recursive all
    """
)
"""Switches of a settings file or a command by their whole name, if true or false."""

MODE_WORDS: Final = word_set("allow deny ask block prompt forbid reject")
"""Values that say a permission, whatever the key is called."""

SECRET: Final = word_set(
    """
    password passwd pwd passphrase secret secrets token apikey credential credentials cookie salt
    bearer pat privatekey
    """
)
"""Never facts (F10)."""

QUIET_LEAVES: Final = word_set(
    """
    version versions title description desc summary author authors license licence note notes
    comment comments help doc docs documentation message msg text homepage repository bugs
    keywords icon logo image images tag tags color colors colour theme font fonts locale lang
    language languages format level loglevel encoding charset date time timestamp created updated
    modified duration elapsed uptime status state result results error errors total remaining used
    pid path paths file files filename dir directory folder command cmd script scripts entrypoint
    module class type kind owner maintainer maintainers email reason model label labels annotation
    annotations example examples extends plugin plugins verbose verbosity quiet silent pretty key
    hash checksum digest sha sha256 sha1 md5 signature_version width height current progress
    latency took runtime package packages dependencies uid gid matcher pattern regex prefix suffix
    family style sort order position index row rows line lines column columns page pages score
    """
)
"""Last words of names that describe (F10)."""

QUIET_PARENTS: Final = word_set(
    """
    ui theme logging log logger loggers style styles format formatter editor compileroptions
    compiler_options lint linter flake8 ruff pylint black isort mypy eslint prettier pycodestyle
    scripts dependencies devdependencies dev_dependencies peerdependencies labels annotations docs
    i18n translations colors fonts keybindings examples example properties definitions
    components_schemas engines authors classifiers urls metadata_labels changelog stylelint
    coverage pydocstyle rustfmt clippy requires build_system keywords author
    """
)
"""Sections that bind nothing: looks, style of code, documentation, schemas."""

QUIET_PHRASES: Final = word_set(
    """
    line_length max_line_length line_width print_width max_complexity tab_width tab_size
    indent_size page_size font_size log_level log_format target_version requires_python
    python_requires api_version schema_version node_version
    """
)

SPARED: Final = word_set("namespace branch host environment region cluster")
"""Targets that gate even under `metadata`."""

MEASURED: Final = word_set(
    """
    attempt duration elapsed took latency uptime took rows count remaining used total size memory
    mem cpu rate batch delay wait percent progress seconds ms instances connections processes
    threads workers storage disk replicas amount hours minutes days
    """
)
"""Words of counters and measured values in logs and answers of tools (F10)."""

COUNTERS: Final = word_set("remaining used elapsed consumed spent observed measured")
"""Words that make any name a measured value."""

PERMISSION_FILES: Final = word_set("permissions permission acl policy")

RULE_KEYS: Final = word_set(
    """
    rule rules instruction instructions constraint constraints guideline guidelines policy
    policies prohibition prohibitions guardrail guardrails system_prompt prompt
    """
)
"""Keys whose strings are sentences that may bind."""
