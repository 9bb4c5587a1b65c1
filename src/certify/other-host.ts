/**
 * A certificate of another host than this machine, made with openssl, with its private key, which is no secret: it
 * stands for no host that there is, and can sign no other. A client that trusts it must still refuse it, by its name.
 */
export const otherHost = {
  cert: `-----BEGIN CERTIFICATE-----
MIIBjDCCATKgAwIBAgIUHi/hqrrZH6YdOASTltnc6KG7/FowCgYIKoZIzj0EAwIw
HTEbMBkGA1UEAwwSb3RoZXItaG9zdC5pbnZhbGlkMCAXDTIwMDEwMTAwMDAwMFoY
DzIxMjAwMTAxMDAwMDAwWjAdMRswGQYDVQQDDBJvdGhlci1ob3N0LmludmFsaWQw
WTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATspa1cukK22UZWQlZjBjJQqJHWAmFu
7mRLIQCqqPUqDnilUeqU7J7haNCr0iNH7uxjkOsbpI+b49jG4t+zb5yVo04wTDAM
BgNVHRMBAf8EAjAAMB0GA1UdEQQWMBSCEm90aGVyLWhvc3QuaW52YWxpZDAdBgNV
HQ4EFgQU1avJdKRd3ff8iw16ULPStKuAw0owCgYIKoZIzj0EAwIDSAAwRQIhAKTu
OCJsnQcXIC745VLvddl62bX8P9bQLWeG9DqM9aZ0AiB1AkxSsndfd+KEU3EbgooM
0tHXwWoRJEzE0ifreel/JQ==
-----END CERTIFICATE-----
`,
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgRfeWp5+wXtGsOC9k
8jTOHEmPKL5ftcxk/G88doT262ShRANCAATspa1cukK22UZWQlZjBjJQqJHWAmFu
7mRLIQCqqPUqDnilUeqU7J7haNCr0iNH7uxjkOsbpI+b49jG4t+zb5yV
-----END PRIVATE KEY-----
`,
};
