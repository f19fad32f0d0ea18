import { randomBytes } from 'node:crypto'
import { clock } from '#shared/core/clock.ts'
import { env } from '#shared/core/env.ts'
import { accounts } from '#shared/domain/accounts/account.ts'
import { actors } from '#shared/domain/actors/actor.ts'
import type { LocalCode } from '#shared/sign-in/browser/local-code.ts'
import { mintOneTimeToken, oneTimeItem } from '#shared/sign-in/one-time-token.ts'
import { challengeOf } from '#shared/sign-in/providers/pending-sign-in.ts'
import { putItem } from '#shared/table/put-item.ts'
import { getRow, rowsBy } from '#shared/table/read.ts'
import { readJson } from '../files/data-dir.ts'
import { credentialsFile } from './demo-account.ts'

const codeMicros = 15 * 60_000_000

/**
 * Creates a one-time sign-in to the console as the demo account's administrator, and returns its address (K2.7). The browser does not send
 * the fragment to the server. Returns null without a console or without an enabled administrator.
 */
export async function consoleAddress(dir: string, baseUrl: string): Promise<string | null> {
  const accountId = readJson<{ account_id: string }>(credentialsFile(dir))?.account_id
  const account = accountId ? await getRow(accounts, accountId, accountId) : null
  if (!env.console || !account) return null
  const admins = await rowsBy(actors, account.id, 'type', 'account_admin_user')
  const [admin] = admins.filter(({ is_disabled }) => !is_disabled).sort((a, b) => (a.id < b.id ? -1 : 1))
  if (!admin) return null
  const verifier = randomBytes(32).toString('base64url')
  const { text: code, key } = mintOneTimeToken(account.id, 'local')
  const content: LocalCode = { actor_id: admin.id, code_challenge: challengeOf(verifier) }
  await putItem(oneTimeItem(key, clock.now() + codeMicros, content))
  return `${baseUrl}/console/${account.slug}#${new URLSearchParams({ code, verifier })}`
}
