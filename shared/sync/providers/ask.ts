import { ProviderFault } from '../provider-fault.ts'
import type { Answer, Call } from './call.ts'
import { exchange } from './exchange.ts'
import type { Pace } from './pace.ts'
import type { AccessToken, TokenSource } from './token-source.ts'

/** A token that is taken no more, and what it means where a new one is taken no more either. */
type TokenEnded = { tokenEnded: ProviderFault }

/** How one provider is asked. */
export type Provider = {
  /** What must not show in what a provider says (I1.3), beside its tokens. */
  secrets: string[]
  tokens: TokenSource
  pace: Pace
  send(call: Call, token: AccessToken): Promise<Response>
  /** What an answer that is none means (I6). */
  faultOf(call: Call, answer: Answer): ProviderFault | TokenEnded
}

/**
 * Asks a provider once, and once more with a new token where the token had ended.
 * @throws ProviderFault
 */
export async function ask(provider: Provider, call: Call): Promise<Answer> {
  for (let renewed = false; ; renewed = true) {
    await provider.pace.turn(call)
    const token = await provider.tokens.current()
    const answer = await exchange(call, () => provider.send(call, token), [...provider.secrets, token.text])
    provider.pace.heard(call, answer)
    if (answer.status >= 200 && answer.status < 300) return answer
    const fault = provider.faultOf(call, answer)
    if (fault instanceof ProviderFault) throw fault
    if (renewed) throw fault.tokenEnded
    provider.tokens.drop(token)
  }
}

/** Sends a call with its token, as most providers want it. */
export const bearer =
  (
    fetch: (url: URL, request: { method: string; headers: Record<string, string>; body?: string }) => Promise<Response>,
  ) =>
  ({ method = 'GET', url, headers, body }: Call, { text }: AccessToken): Promise<Response> =>
    fetch(url, { method, headers: { accept: 'application/json', ...headers, authorization: `Bearer ${text}` }, body })
