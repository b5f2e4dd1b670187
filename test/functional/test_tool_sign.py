# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""slhtool signs and verifies messages."""



from tool import bad, ok, ok_json, run


def test_sign_and_verify(files, tmp_path):
    signature = tmp_path / "sig"
    key = files.key("alice")
    assert ok("sign", "--key", key, "--message", "00ff", "--out", signature) == ""
    assert len(signature.read_text().strip()) == 2 * 7856
    verify = ["verify", "--public-key", f"@{key}", "--signature", f"@{signature}"]
    assert ok(*verify, "--message", "00ff") == "valid\n"
    assert ok_json(*verify, "--message", "00ff")["valid"] is True
    message = tmp_path / "message"
    message.write_bytes(b"\x00\xff")
    ok(*verify, "--message-file", message)
    for other in [["--message", "00fe"], ["--message-text", "00ff"], ["--message", "00ff", "--context", "00"], ["--message", "00ff", "--internal"]]:
        result = run(*verify, *other)
        assert (result.returncode, result.stdout) == (1, "invalid\n")
    # pure SLH-DSA hashes 0x00 || size of the context || context before the message
    ok(*verify, "--message", "0000" + "00ff", "--internal")
    # wrong size: a verdict, no error
    for text in ["", signature.read_text().strip()[:-2], signature.read_text().strip() + "00"]:
        result = run("verify", "--public-key", files.pub["alice"], "--signature", "-", "--message", "00ff", stdin=text + "\n")
        assert (result.returncode, result.stdout) == (1, "invalid\n")


def test_sign_with_context(files, tmp_path):
    args = ["sign", "--key", files.key("bob"), "--message-text", "hello", "--deterministic"]
    plain = ok(*args)
    assert plain == ok(*args)
    longest = ok(*args, "--context", "aa" * 255)
    assert plain != longest
    verify = ["verify", "--public-key", files.pub["bob"], "--message-text", "hello", "--signature", "-"]
    ok(*verify, "--context", "aa" * 255, stdin=longest)
    assert run(*verify, stdin=longest).returncode == 1
    bad(*args, "--context", "aa" * 256, says=["context", "256 bytes, at most 255"])
    bad(*verify, "--context", "aa" * 256, stdin=longest, says=["context", "256 bytes, at most 255"])


def test_schnorr(files):
    signature = ok("sign", "--key", files.key("dave"), "--message", "55" * 32)
    assert len(signature.strip()) == 128
    verify = ["verify", "--type", "schnorr", "--public-key", files.pub["dave"], "--signature", signature.strip()]
    ok(*verify, "--message", "55" * 32)
    assert run(*verify, "--message", "56" * 32).returncode == 1
    bad("sign", "--key", files.key("dave"), "--message", "00", "--context", "00", says="Schnorr signatures have none")
    # BIP 340, test vectors 0 and 2
    ok("verify", "--type", "schnorr", "--message", "00" * 32,
       "--public-key", "F9308A019258C31049344F85F89D5229B531C845836F99B08601F113BCE036F9", "--signature",
       "E907831F80848D1069A5371B402410364BDF1C5F8307B0084C55F1CE2DCA821525F66A4A85EA8B71E482A74F382D2CE5EBEEE8FDB2172F477DF4900D310536C0")


def test_bad_keys_and_signatures(files):
    verify = ["verify", "--message", "00", "--signature", "00", "--public-key"]
    bad(*verify, "00" * 31, says=["--public-key", "has 31 bytes, not 32"])
    bad(*verify, "0" * 63, says=["--public-key", "odd number of hex digits (63)"])
    bad(*verify, "g" * 64, says=["--public-key", "position 0: 'g' is not a hex digit"])
    bad(*verify, f"@{files.key('dave')}", says="holds a key of type schnorr-bip340, not slh-dsa-sha2-128s\n")
    bad("verify", "--message", "0", "--signature", "00", "--public-key", "00" * 32, says=["--message", "odd number of hex digits (1)"])
    bad("verify", "--message", "00", "--signature", "0x", "--public-key", "00" * 32, says=["--signature", "position 1: 'x'"])
