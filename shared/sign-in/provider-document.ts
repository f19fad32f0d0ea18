import { type DiscoveryDocument, readDiscoveryDocument } from '../domain/auth-providers/discovery-document.ts'
import type { GuardedFetch } from '../outside/guarded-fetch.ts'
import { outsideErrorOf } from '../outside/outside-error.ts'
import type { App } from './provider-app.ts'
import { SignInRefused } from './sign-in-refused.ts'

/** What a provider says of itself is asked for again after this long. */
const keptMs = 10 * 60_000
const maxKept = 1_000

type Kept = { document: DiscoveryDocument; at: number }
const kept = new Map<string, Kept>()
const asking = new Map<string, Promise<DiscoveryDocument>>()

async function ask({ issuer, documentUri }: App, fetch: GuardedFetch): Promise<DiscoveryDocument> {
  const document = await readDiscoveryDocument(documentUri, fetch).catch((error: unknown) => {
    const failed = outsideErrorOf(error)
    if (!failed) throw error
    throw new SignInRefused('provider_unreachable', null, { at: 'discovery', failure: failed.reason })
  })
  // A document that speaks for another issuer could name endpoints that ours never had.
  if (!document || document.issuer !== issuer) throw new SignInRefused('provider_answer', null, { at: 'discovery' })
  if (kept.size >= maxKept) kept.clear()
  kept.set(documentUri, { document, at: Date.now() })
  return document
}

/**
 * The discovery document of a provider, kept in the process for all who sign in with it.
 * @throws SignInRefused when it cannot be read, or is another issuer's
 */
export async function documentOf(app: App, fetch: GuardedFetch): Promise<DiscoveryDocument> {
  const known = kept.get(app.documentUri)
  if (known && known.document.issuer === app.issuer && Date.now() - known.at < keptMs) return known.document
  // Those who come at once wait for one answer; two issuers at one address are two questions.
  const question = `${app.issuer} ${app.documentUri}`
  const asked = asking.get(question) ?? ask(app, fetch).finally(() => asking.delete(question))
  asking.set(question, asked)
  return await asked
}
