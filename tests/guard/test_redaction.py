"""Secrets by their shape: what is taken out, what stays, and that lines stay lines."""

from __future__ import annotations

import hashlib
import json

import pytest

from guard.redaction import SHAPES, redact

LETTERS = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7" * 8

SECRETS = {
    "aws-access-key": "AKIA" + "ABCDEFGH23456789",
    "aws-secret-key": "aws_secret_access_key = " + LETTERS[:38] + "/+",
    "github-token": "ghp_" + LETTERS[:36],
    "gitlab-token": "glpat-" + LETTERS[:20],
    "slack-token": "xoxb-" + "123456789012-" + LETTERS[:24],
    "slack-webhook": "https://hooks.slack.com/services/T0AB/B0CD/" + LETTERS[:24],
    "anthropic-key": "sk-ant-" + "api03-" + LETTERS[:40],
    "openai-key": "sk-proj-" + LETTERS[:40],
    "stripe-key": "sk_live_" + LETTERS[:24],
    "google-key": "AIza" + LETTERS[:35],
    "google-token": "ya29." + LETTERS[:40],
    "npm-token": "npm_" + LETTERS[:36],
    "pypi-token": "pypi-AgE" + LETTERS[:60],
    "sendgrid-key": "SG." + LETTERS[:22] + "." + LETTERS[:43],
    "huggingface-token": "hf_" + LETTERS[:34],
    "digitalocean-token": "dop_v1_" + "0123456789abcdef" * 4,
    "databricks-token": "dapi" + "0123456789abcdef" * 2,
    "vault-token": "hvs." + LETTERS[:30],
    "jwt": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0." + LETTERS[:30],
    "azure-key": "AccountKey=" + LETTERS[:84] + "==",
    "private-key": f"-----BEGIN RSA PRIVATE KEY-----\n{LETTERS}\n-----END RSA PRIVATE KEY-----",
    "bearer-token": "Authorization: Bearer " + LETTERS[:30],
    "basic-credentials": "Authorization: Basic " + "bWlyYTpzZWNyZXQxMjM=",
    "url-password": "postgres://mira:s3cretpw@db.example/tides",
}

INNOCENT = [
    "git push origin main",
    "xAKIAABCDEFGH23456789 is part of a longer word",
    "sk-learn and sk-short",
    "https://example.org:8080/a@b?c=d://e",
    "ssh://git@github.example/mira/tidepool.git",
    "Basic internationalization of the page",
    "The bearer of this letter",
    "sha256:" + "0123456789abcdef" * 4,
    "9f8e7d6c-1234-4abc-8def-0123456789ab",
    "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
]


def test_every_shape_has_an_example() -> None:
    assert {shape.name for shape in SHAPES} == set(SECRETS)


@pytest.mark.parametrize(("name", "text"), SECRETS.items())
@pytest.mark.parametrize("around", ["{}", "say {} now", "a line\n{}\nand another", '"{}",'])
def test_a_secret_is_taken_out_of_a_json_line(name: str, text: str, around: str) -> None:
    line = json.dumps({"text": around.format(text)}).encode()
    done = redact(line)
    assert done.counts == {name: 1}
    assert done.total == 1
    assert len(done.data) == len(line)
    assert "[redacted" in json.loads(done.data)["text"] or name == "url-password"
    assert redact(done.data).total == 0
    assert done.original == "sha256:" + hashlib.sha256(line).hexdigest()


@pytest.mark.parametrize("text", INNOCENT)
def test_what_has_no_shape_of_a_key_stays(text: str) -> None:
    line = json.dumps({"text": text}).encode()
    assert redact(line).data == line
    assert redact(line).total == 0


def test_what_stands_around_a_secret_stays() -> None:
    done = redact(b"psql postgres://mira:s3cretpw@db.example/tides")
    assert done.data == b"psql postgres://mira:********@db.example/tides"


def test_what_is_put_in_says_what_it_was_where_there_is_room() -> None:
    token = "ghp_" + LETTERS[:36]
    assert redact(token.encode()).data == b"[redacted:github-token]" + b"*" * 17
    key = f"-----BEGIN PRIVATE KEY-----\n{LETTERS[:50]}\n{LETTERS[:50]}\n-----END PRIVATE KEY-----"
    assert redact(key.encode()).data.count(b"\n") == 3


@pytest.mark.parametrize("room", [4, 7, 8, 16, 17, 40])
def test_with_a_key_two_secrets_are_told_apart_where_there_is_room(room: int) -> None:
    def kept(password: str, key: bytes = b"k") -> bytes:
        return redact(f"a://b:{password[:room]}@c".encode(), key=key).data

    one, other = kept(LETTERS), kept(LETTERS.swapcase())
    assert len(one) == len(other) == len(f"a://b:{LETTERS[:room]}@c")
    assert one == kept(LETTERS)
    assert (one != other) is (kept(LETTERS, b"another") != one) is (room >= 8)


@pytest.mark.parametrize("cut", [1, 4, 20, 39])
def test_the_rest_of_a_secret_that_came_in_two_pieces_is_taken_out(cut: int) -> None:
    secret = ("ghp_" + LETTERS[:36]).encode()
    before, data = b"token " + secret[:cut], secret[cut:] + b" and more\n"
    done = redact(data, before=before)
    assert done.total == 1
    assert len(done.data) == len(data)
    assert secret[cut:] not in done.data
    assert done.data.endswith(b" and more\n")


def test_a_secret_before_the_piece_is_not_counted_again() -> None:
    before = ("ghp_" + LETTERS[:36] + " ").encode()
    assert redact(b"nothing\n", before=before).total == 0


def test_several_secrets_are_counted_by_kind_and_overlaps_once() -> None:
    token = "ghp_" + LETTERS[:36]
    done = redact(f"{token} {token} https://mira:{token}@github.example".encode())
    assert done.counts["github-token"] + done.counts["url-password"] == 3
    assert token.encode() not in done.data


@pytest.mark.parametrize("key", [b"", b"k"])
def test_redacting_twice_changes_nothing(key: bytes) -> None:
    once = redact("\n".join(SECRETS.values()).encode(), key=key)
    assert redact(once.data, key=key).data == once.data
