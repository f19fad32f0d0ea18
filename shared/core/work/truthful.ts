import { ApiError, fixedDetails, unavailableAfter } from '../errors.ts'
import { changedSoFar } from './work.ts'

/** The error as the work that runs may end with it: it says that nothing was changed only where that is so. */
export function truthful(error: ApiError): ApiError {
  const changed = changedSoFar()
  if (changed === 'nothing' || error.detail !== fixedDetails.unavailable) return error
  return new ApiError('unavailable', unavailableAfter[changed], { members: error.members, headers: error.headers })
}
