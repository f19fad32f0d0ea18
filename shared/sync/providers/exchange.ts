import { outsideErrorOf } from '../../outside/outside-error.ts'
import { ProviderFault } from '../provider-fault.ts'
import { type Answer, type Call, nameOf } from './call.ts'

function noAnswer(call: Call, error: unknown): unknown {
  const outside = outsideErrorOf(error)
  if (!outside) return error
  // An address that is never called, and an answer beyond all bounds, would be no other a moment later.
  const passing = outside.reason === 'timeout' || outside.reason === 'unreachable'
  const sentence = `${nameOf(call)} had no answer: ${outside.message}`
  return new ProviderFault(passing ? 'again' : 'transient', sentence, { cause: error })
}

/** A provider may say in its error what it was sent. */
const without = (text: string, secrets: string[]): string =>
  secrets.filter(Boolean).reduce((kept, secret) => kept.replaceAll(secret, '[secret]'), text)

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Sends a call and reads its answer; what refuses it shows none of the secrets. One that says it worked and is no JSON was broken on its way.
 * @throws ProviderFault where there is no answer
 */
export async function exchange(call: Call, send: () => Promise<Response>, secrets: string[]): Promise<Answer> {
  try {
    const response = await send()
    const text = await response.text()
    const json = jsonOf(response.ok ? text : without(text, secrets))
    const answer = { status: response.status, headers: response.headers, json }
    if (response.ok && answer.json === undefined) {
      throw new ProviderFault('again', `${nameOf(call)} answered ${response.status} with what is no JSON.`)
    }
    return answer
  } catch (error) {
    throw noAnswer(call, error)
  }
}
