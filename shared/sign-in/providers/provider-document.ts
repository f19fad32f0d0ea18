import { type DiscoveryDocument, readDiscoveryDocument } from '../../domain/auth-providers/discovery-document.ts'
import { guardedFetch } from '../../outside/guarded-fetch.ts'
import { KeptAnswers } from '../../outside/kept-answers.ts'
import { outsideErrorOf } from '../../outside/outside-error.ts'
import { SharedQuestions } from '../../outside/shared-questions.ts'
import { SignInRefused } from '../refusals/sign-in-refused.ts'
import type { App } from './provider-app.ts'

/** What a provider says of itself is asked for again after ten minutes. Nothing in it belongs to an account. */
const kept = new KeptAnswers<DiscoveryDocument>({ ms: 10 * 60_000, most: 1_000 })
const questions = new SharedQuestions<DiscoveryDocument>()
/** Less than any who asks has, so that a question that nobody waits for any more is soon over. */
const questionMs = 8_000

async function read({ issuer, documentUri }: App): Promise<DiscoveryDocument> {
  const document = await readDiscoveryDocument(documentUri, guardedFetch({ timeoutMs: questionMs }))
  // A document that speaks for another issuer could name endpoints that ours never had.
  if (!document || document.issuer !== issuer) throw new SignInRefused('provider_answer', null, { at: 'discovery' })
  return document
}

/**
 * The discovery document of a provider, kept in the process for all who sign in with it.
 * @throws SignInRefused when it cannot be read in the time that there is, or is another issuer's
 */
export async function documentOf(app: App, timeoutMs: number): Promise<DiscoveryDocument> {
  // Two issuers at one address are two questions.
  const question = `${app.issuer} ${app.documentUri}`
  const known = kept.get(question)
  if (known) return known
  const ask = async () => {
    const document = await read(app)
    kept.keep(question, document)
    return document
  }
  return questions.ask(question, ask, timeoutMs).catch((error: unknown) => {
    const failed = outsideErrorOf(error)
    if (!failed) throw error
    throw new SignInRefused('provider_unreachable', null, { at: 'discovery', failure: failed.reason })
  })
}
