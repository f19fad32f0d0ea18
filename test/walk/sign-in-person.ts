import { ok } from 'node:assert/strict'
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { Service } from '../../docs/examples/service.ts'
import type { Somebody, WalkedCompany } from './walked-company.ts'

type Options = { company: WalkedCompany; baseUrl: string; slug: string; providerId: string }

export type SignedIn = { token: string; actor: { id: string; email: string }; person: Somebody }

/** Signs a person in as a client does: signs in at the provider, calls the callback, and exchanges the code for a token. */
export async function signInPerson(
  { company, baseUrl, slug, providerId }: Options,
  person: Somebody,
): Promise<SignedIn> {
  const verifier = randomBytes(32).toString('base64url')
  const service = new Service(baseUrl)
  const sign_in = {
    auth_provider_id: providerId,
    context: 'client',
    redirect_uri: 'http://127.0.0.1:49152/callback',
    state: randomUUID(),
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
  }
  const started = await service.request<{ authorization_url: string }>('POST', `/sign_in/${slug}/start`, { sign_in })
  const parameters = new URL(started.authorization_url).searchParams
  const callback = new URL(parameters.get('redirect_uri') ?? '')
  callback.searchParams.set('state', parameters.get('state') ?? '')
  callback.searchParams.set('code', company.signIn(started.authorization_url, person))
  const back = await fetch(callback, { redirect: 'manual' })
  const home = new URL(back.headers.get('location') ?? 'about:blank')
  const code = home.searchParams.get('code')
  ok(code, `${person.email} came back with ${home.search || `${back.status} ${await back.text()}`}`)
  const redeem = { sign_in: { code, code_verifier: verifier } }
  return { ...(await service.request<Omit<SignedIn, 'person'>>('POST', '/sign_in/token', redeem)), person }
}
