import { unauthorized } from '../../core/errors.ts'
import { noteRefusal } from './note-sign-in.ts'
import { SignInRefused } from './sign-in-refused.ts'

/**
 * Tells the operator why somebody is refused, and the caller nothing.
 * @throws ApiError `unauthorized`, the same for every reason; what is no refusal is thrown as it is
 */
export async function withoutReason<T>(accountId: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof SignInRefused)) throw error
    noteRefusal(accountId, error)
    throw unauthorized()
  }
}
