import { afterEach, beforeAll, expect, it, vi } from 'vitest'
import { type AccountRow, accounts } from '#shared/domain/accounts/account.ts'
import { clientTokens } from '#shared/domain/client-tokens/client-token.ts'
import { passcodeProvider } from '#shared/sign-in/passcodes/passcode-text.ts'
import { verifyPasscode } from '#shared/sign-in/passcodes/prove-email.ts'
import { getRow, rowsBy } from '#shared/table/read.ts'
import { newAccount } from '#test/support/accounts/account.ts'
import { insertIdentity, newPerson } from '#test/support/accounts/identities.ts'
import { catchLog } from '#test/support/logs/log-lines.ts'
import { mailedPasscode, useCheapHashes } from '#test/support/sign-in/mails.ts'

let account: AccountRow
beforeAll(async () => {
  useCheapHashes()
  const { id } = await newAccount()
  account = (await getRow(accounts, id, id)) as AccountRow
})
afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

const origin = { ip: '192.0.2.1', ip_region: null, ip_city: null, ip_lat: null, ip_lon: null, user_agent: null }

it('signs in only the actor to whom the passcode was mailed', async () => {
  const { actor, email, passcode } = await mailedPasscode(account.id)
  const issuer = (await passcodeProvider(account.id))?.issuer ?? ''
  // Gives the identity to another actor, who had the email address before.
  const other = await newPerson(account)
  await insertIdentity(account.id, other.id, { issuer, idp_id: email.toLowerCase() })
  const log = catchLog('WARN')
  await expect(verifyPasscode(account, { email, passcode, context: 'client' }, origin)).rejects.toMatchObject({
    code: 'unauthorized',
  })
  expect(log.lines().at(-1)).toMatchObject({ event: 'sign_in_refused', actor_id: actor.id })
  for (const { id } of [actor, other]) expect(await rowsBy(clientTokens, account.id, 'actor_id', id)).toEqual([])
})
