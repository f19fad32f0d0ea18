import { actors } from '#shared/domain/actors/actor.ts'
import type { Handler } from '#shared/http/lambda.ts'
import { startPlainProvider } from '#test/fakes/plain-provider.ts'
import { newAccessWorld } from '../access/access.ts'
import { call } from '../accounts/account.ts'
import { insertIdentity } from '../accounts/identities.ts'
import { signInWith } from '../accounts/portal-sessions.ts'
import { updateRow } from '../accounts/rows.ts'
import { beginSignIn, insertLocalProvider, newSource, redirectParams, returnFromProvider } from '../sign-in/sign-in.ts'

type Record = <T>(file: string, run: (handler: Handler) => Promise<T>) => Promise<T>

const expectCreated = ({ status, text }: { status: number; text: string }) => {
  if (status !== 201) throw new Error(`Unexpected response: ${status} ${text}`)
}

/**
 * Records a sign-in by a new subject with an existing actor's email address. The sign-in revokes the former subject's client token, session
 * and authorization.
 */
export async function recordSuccessor(record: Record): Promise<void> {
  process.env.ALLOW_INSECURE_PROVIDERS = '1'
  const { account, actor, resource, ...world } = await newAccessWorld()
  const email = 'grace@example.com'
  await updateRow(account.id, actors, actor, { type: 'account_user', email })
  const fake = await startPlainProvider()
  const provider = await insertLocalProvider(account.id, fake)
  await insertIdentity(account.id, actor.id, { issuer: provider.issuer })
  const { token } = await signInWith(account, 'client', { actorId: actor.id, provider, kind: 'oidc' })
  await world.addGateway()
  expectCreated(await world.startSession({}, { token }))
  expectCreated(await world.ask({ resource_id: resource.id }, { token }))

  const started = await beginSignIn(provider.id, { slug: account.slug })
  const claims = { sub: 'successor', email, email_verified: true }
  const { code } = redirectParams(
    await returnFromProvider(started, { state: started.providerState, code: fake.codeFor(started.url, claims) }),
  )
  const sign_in = { code, code_verifier: started.verifier }
  const request = { method: 'POST', path: '/sign_in/token', body: { sign_in }, sourceIp: newSource() }
  expectCreated(await record('sign-in/open-id/redeem-code.ts', (handler) => call(handler, request)))
  await fake.close()
}
