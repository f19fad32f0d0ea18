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

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * Sends a call and reads its answer. A successful one that is no JSON was broken on its way.
 * @param secrets those that are sent
 * @throws ProviderFault where there is no answer
 */
export async function exchange(call: Call, send: () => Promise<Response>, secrets: string[]): Promise<Answer> {
  try {
    const response = await send()
    const json = jsonOf(await response.text())
    const answer = { status: response.status, headers: response.headers, json, secrets }
    if (response.ok && answer.json === undefined) {
      throw new ProviderFault('again', `${nameOf(call)} answered ${response.status} with what is no JSON.`)
    }
    return answer
  } catch (error) {
    throw noAnswer(call, error)
  }
}
