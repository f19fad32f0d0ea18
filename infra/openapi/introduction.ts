export const introduction = `The Network Access Administration API manages who may reach which resource, and logs changes, connections and flows.

## Tokens

Send \`Authorization: Bearer <token>\`. The prefix of a token shows its kind: \`naa_\` calls this API, \`nac_\` is for clients,
\`nag_\` for gateways, \`nap_\` is a portal session of an administrator. A token is shown only once, when it is created. A
token of another kind, an expired token and a wrong token all result in 401 with the same text. Each operation states the kind of token that it requires.
An API token has scopes such as \`groups:write\`; a missing scope results in 403 with \`required_scope\`.

## Requests and responses

Bodies are JSON. A request wraps its fields in a singular noun, a response in \`data\`:

\`\`\`sh
curl $BASE/groups -H "authorization: Bearer $TOKEN" \\
  -H 'content-type: application/json' \\
  -d '{"group":{"name":"Engineering"}}'
{"data":{"id":"01932c7e-…","name":"Engineering",…}}
\`\`\`

\`PATCH\` and \`PUT\` change the fields that are sent and keep the others; only memberships and pool members are replaced by \`PUT\`.
Timestamps are returned in RFC 3339, UTC, with microseconds; ids are UUIDs in lower case. Paths have no trailing slash.

**Unknown fields and query parameters are ignored.** \`GET /policies?group=…\` lists *all* policies, because the filter is
called \`group_id\`; a misspelled optional field leaves its default. Scripts should compare the response with the request.
Only flow records are strict.

## Values

Surrounding blanks of a text are removed, and an empty text means null. Booleans and integers can also be sent as text. Some values are returned in
a normalized form: \`8000-8080\` as \`8000 - 8080\`, \`Example.COM\` as \`example.com\`. The description of each such field has
examples of the form \`sent\` → \`returned\`. Sending the returned form back changes nothing. Lists of conditions, filters, ports and scopes
keep the order sent; lists of ids of members are sorted.

## Errors

Every error is \`application/problem+json\` (RFC 9457). Programs use \`code\`; \`detail\` is for people. A 422 has \`errors\`:
all messages by field, with paths such as \`conditions.0.values\`. A failed request changes nothing, unless the detail of a 503 states otherwise.

\`\`\`json
{"type":"about:blank","title":"Unprocessable Content",
 "status":422,"code":"validation_failed",
 "detail":"The request body failed validation.",
 "request_id":"0f6b7a52-…",
 "errors":{"name":["can't be blank"]}}
\`\`\`

## Lists

A page has 50 rows, or \`limit\` of 1 to 1,000. \`metadata.next_page\` is the \`page_cursor\` of the next page, null on the last one. Cursors
are opaque and belong to the same list with the same filters. \`total\` counts all rows that match, except in logs. The oldest row comes first, except in
lists of tokens, identities, providers, directories and logs, which start with the newest.

## Safe retries

A \`POST\` with the header \`Idempotency-Key\` runs once: within 24 hours, the same key and the same request get the first response again,
marked \`Idempotent-Replayed: true\`. A different request with that key results in 422.

A single object comes with an \`ETag\`. With \`If-Match\`, a change or deletion results in 412 if the object was changed in the meantime;
with \`If-None-Match\`, a \`GET\` results in 304 while the object has not changed.

## Rate limit

An account may send 500 requests at once, and then 50 per second, unless its limits differ. \`RateLimit\` shows the remaining requests;
429 and 503 carry \`Retry-After\` in seconds.`
