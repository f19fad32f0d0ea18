export const introduction = `Who may reach what, who changed it, and what really flowed.

## Tokens

Send \`Authorization: Bearer <token>\`. The prefix of a token tells its kind: \`naa_\` calls this API, \`nac_\` is for clients,
\`nag_\` for gateways, \`nap_\` is a portal session of an administrator. A token is shown once, when it is created. A
token of another kind, an expired one and a wrong one are all 401 with the same text; each operation says which kind it takes.
An API token has scopes such as \`groups:write\`; a missing one is 403 with \`required_scope\`.

## Requests and answers

Bodies are JSON. A request wraps its fields in the singular noun, an answer in \`data\`:

\`\`\`sh
curl $BASE/groups -H "authorization: Bearer $TOKEN" \\
  -H 'content-type: application/json' \\
  -d '{"group":{"name":"Engineering"}}'
{"data":{"id":"01932c7e-…","name":"Engineering",…}}
\`\`\`

\`PATCH\` and \`PUT\` change the fields that are sent and keep the others; memberships and pool members alone are replaced by \`PUT\`.
Timestamps are answered in RFC 3339, UTC, with microseconds; ids are UUIDs in lower case. Paths have no trailing slash.

**Fields and query parameters that are not known are ignored.** \`GET /policies?group=…\` lists *all* policies, because the filter is
called \`group_id\`; a misspelled optional field leaves its default. Scripts should compare the answer with what they sent.
Only records of flows are strict.

## Values

Blanks around a text are cut, and an empty text means null. Booleans and integers can also come as text. Some values are answered in
one spelling of several: \`8000-8080\` as \`8000 - 8080\`, \`Example.COM\` as \`example.com\`. Each such field says so, with
examples of the form \`sent\` → \`answered\`. Sending the answered form back changes nothing. Lists of conditions, filters, ports and scopes
keep the order sent; lists of ids of members are sorted.

## Errors

Every error is \`application/problem+json\` (RFC 9457). Programs decide by \`code\`; \`detail\` is for people. A 422 has \`errors\`:
field → messages, all at once, with paths such as \`conditions.0.values\`. A request that fails changes nothing, unless its 503 says otherwise.

\`\`\`json
{"type":"about:blank","title":"Unprocessable Content",
 "status":422,"code":"validation_failed",
 "detail":"The request body failed validation.",
 "request_id":"0f6b7a52-…",
 "errors":{"name":["can't be blank"]}}
\`\`\`

## Lists

A page has 50 rows, or \`limit\` of 1 to 100. \`metadata.next_page\` is the \`page_cursor\` of the next page, null on the last one. Cursors
are opaque and belong to the same list with the same filters. \`total\` counts all rows that match. The oldest row comes first, but for
tokens, identities, providers and directories, whose newest comes first; logs are newest first.

## Safe retries

A \`POST\` with the header \`Idempotency-Key\` runs once: within 24 hours, the same key and the same request get the first answer again,
marked \`Idempotent-Replayed: true\`. Another request with that key is 422.

A single object comes with an \`ETag\`. With \`If-Match\`, a change or deletion is 412 when somebody else has changed the object meanwhile;
with \`If-None-Match\`, a \`GET\` is 304 while it has not changed.

## Rate limit

An account may send 500 requests at once, and 50 a second from then on, unless its limits say otherwise. \`RateLimit\` tells what is left;
429 and 503 carry \`Retry-After\` in seconds.`
