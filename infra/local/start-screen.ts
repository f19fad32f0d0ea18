import { resolve } from 'node:path'
import { paginateScan } from '@aws-sdk/lib-dynamodb'
import { type AccountRow, accounts } from '#shared/domain/accounts/account.ts'
import { type Item, partition } from '#shared/table/keys.ts'
import { table, tableName } from '#shared/table/table.ts'
import { readShift } from './clock-shift.ts'
import { credentialsFile, type DemoAccount } from './demo/demo-account.ts'
import type { DemoSignIn } from './demo/demo-sign-in.ts'

type Start = {
  baseUrl: string
  dir: string
  ephemeral: boolean
  seconds: number
  demo: DemoAccount
  /** Address of the one-time sign-in to the console (K2.7); null if there is none. */
  consoleUrl: string | null
  signIn: DemoSignIn | null
  accounts: { rows: AccountRow[]; more: boolean }
}

const stateOf = ({ is_disabled, delete_at }: AccountRow): string => {
  if (!is_disabled) return ''
  return delete_at === null ? ' (disabled)' : ` (disabled, will be deleted at ${delete_at})`
}

function accountLines({ rows, more }: Start['accounts']): string {
  const lines = rows.map((account) => `${account.slug} ${account.id}${stateOf(account)}`)
  return [...(rows.length > 0 ? lines : ['none']), ...(more ? ['and more'] : [])].join('\n                ')
}

/** Example commands that can be repeated. Site names are unique in an account, so the name contains the time. */
const examples = (baseUrl: string, dir: string): string => `  Try the API in another terminal:

    TOKEN=$(node -p "require('${credentialsFile(dir)}').api_token")
    curl ${baseUrl}/account -H "Authorization: Bearer $TOKEN"
    curl ${baseUrl}/sites -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '{"site":{"name":"Office '$(date +%s)'"}}'
    curl "${baseUrl}/logs?type=change" -H "Authorization: Bearer $TOKEN"

  docs/walk.md continues from there${dir === resolve('.local') ? '' : `, after export DATA_DIR=${dir}`}.
`

const consoleLines = (url: string): string => `
  Open the console as the administrator of the demo account. The address works once, within 15 minutes:

    ${url}
`

const noSignIn = `
  To sign in as a person, start the service with npm start -- --demo-idp and read docs/sign-in.md.
`

const noDemo = (because: string): string => `  The demo account cannot be used: ${because}.
  Create a new one with npm start -- --new-demo.
`

const exampleArguments = (slug: string, baseUrl: string): string =>
  [slug !== 'demo' && ` --account ${slug}`, !baseUrl.endsWith(':8787') && ` --url ${baseUrl}`].filter(Boolean).join('')

const signInLines = ({ issuer, slug, people, directory }: DemoSignIn, baseUrl: string): string => `
  People of the account ${slug} can sign in with the demo provider at ${issuer}. In another terminal, run:

    npm run example -- sign-in${exampleArguments(slug, baseUrl)}

  It opens the sign-in page in your browser. Choose "Demo company", then one of these people:
${people.map(({ name, email }) => `    ${name} <${email}>`).join('\n')}

  The company's directory has ${directory.people} people. Preview what its sync would change, then enable it, with TOKEN as above.
  The preview and the first sync run start within a minute:

    curl -X POST ${baseUrl}/tenant_directories/${directory.id}/preview -H "Authorization: Bearer $TOKEN"
    curl ${baseUrl}/tenant_directories/${directory.id}/runs -H "Authorization: Bearer $TOKEN"
    curl -X PATCH ${baseUrl}/tenant_directories/${directory.id} -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '{"tenant_directory":{"is_disabled":false}}'
`

export function startScreen({ baseUrl, dir, ephemeral, seconds, demo, consoleUrl, signIn, accounts }: Start): string {
  const credentials = credentialsFile(dir)
  const earlier =
    demo.usable && demo.previousCredentials
      ? `\n                ${demo.previousCredentials} has the credentials of the previous account`
      : ''
  const ahead = readShift(dir) / 3_600_000
  return `
  Network Access Administration is ready at ${baseUrl} after ${seconds.toFixed(1)} s.

  Reference     ${baseUrl}/docs
  Credentials   ${demo.usable ? credentials : 'none'}${earlier}
  Data          ${dir}${ephemeral ? ' (removed when the service stops)' : ''}${ahead > 0 ? `\n  Clock         ${ahead} hours ahead, see npm run advance-clock` : ''}
  Accounts      ${accountLines(accounts)}

${demo.usable ? examples(baseUrl, dir) : noDemo(demo.reason)}${consoleUrl === null ? '' : consoleLines(consoleUrl)}${signIn ? signInLines(signIn, baseUrl) : noSignIn}
  Press Ctrl-C to stop it.

`
}

/** Maximum number of table pages (1 MB each) that the scan for accounts reads. */
const maxPages = 20

/** Lists up to `limit` accounts; `more` is true if others may exist. Scans the table, because no index spans accounts. */
export async function listAccounts(limit: number): Promise<{ rows: AccountRow[]; more: boolean }> {
  const query = {
    TableName: tableName(),
    ConsistentRead: true,
    FilterExpression: 'contains(pk, :accounts) AND attribute_exists(slug)',
    ExpressionAttributeValues: { ':accounts': `#${accounts.name}` },
  }
  const rows: AccountRow[] = []
  let read = 0
  let start: unknown
  for await (const { Items = [], LastEvaluatedKey } of paginateScan({ client: table() }, query)) {
    rows.push(...(Items as (Item & AccountRow)[]).filter(({ pk, id }) => pk === partition(id, accounts.name)))
    start = LastEvaluatedKey
    if (rows.length > limit || ++read === maxPages) break
  }
  return { rows: rows.slice(0, limit), more: start !== undefined || rows.length > limit }
}
