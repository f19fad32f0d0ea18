import type { Handler } from '#shared/http/lambda.ts'
import { startPlainProvider } from '#test/fakes/plain-provider.ts'
import { call, newAccount } from '../accounts/account.ts'
import { insertAdmin } from '../accounts/portal-sessions.ts'
import { beginSignIn, insertLocalProvider, newSource, redirectParams, returnFromProvider } from '../sign-in/sign-in.ts'

type Record = <T>(file: string, run: (handler: Handler) => Promise<T>) => Promise<T>

export async function recordPortal(record: Record): Promise<void> {
  process.env.ALLOW_INSECURE_PROVIDERS = '1'
  const { id, slug } = await newAccount()
  const fake = await startPlainProvider()
  const provider = await insertLocalProvider(id, fake, 'oidc', { context: 'clients_and_portal' })
  const { email } = await insertAdmin(id)
  const started = await beginSignIn(provider.id, { slug, fields: { context: 'portal' } })
  const claims = { sub: 'grace', email, email_verified: true, name: 'Grace' }
  const { code } = redirectParams(
    await returnFromProvider(started, { state: started.providerState, code: fake.codeFor(started.url, claims) }),
  )
  const sign_in = { code, code_verifier: started.verifier }
  const file = 'sign-in/open-id/redeem-code.ts'
  const request = { method: 'POST', path: '/sign_in/token', body: { sign_in }, sourceIp: newSource() }
  const { status, text, body } = await record(file, (handler) => call(handler, request))
  if (status !== 201) throw new Error(`The code was not redeemed: ${status} ${text}`)
  const { token } = body.data
  // Reads with the session, because the console reads with portal sessions only.
  for (const reading of ['api/account/get-account.ts', 'sign-in/portal-sessions/get-session.ts']) {
    const read = await record(reading, (handler) => call(handler, { token }))
    if (read.status !== 200) throw new Error(`The session cannot read: ${read.status} ${read.text}`)
  }
  const ended = await record('sign-in/portal-sessions/end-portal-session.ts', (handler) =>
    call(handler, { method: 'DELETE', path: '/sign_in/session', token }),
  )
  if (ended.status !== 200) throw new Error(`The session was not ended: ${ended.status} ${ended.text}`)
  await fake.close()
}
