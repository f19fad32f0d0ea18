import * as v from 'valibot'
import { answerBytes, takeFitting } from '../core/json/answer-size.ts'
import { PossibleGrant } from './possible-access.ts'

type Grant = v.InferOutput<typeof PossibleGrant>

/** The bound of one row of an access list, which could name any number of policies, each as large as an object can be. */
const maxRowBytes = 1_000_000

/** A list that ended early is named; otherwise `truncated` is absent. */
export const truncatedPolicies = v.optional(v.array(v.literal('policies')))

/** The policies that give access. */
export const grantFields = { policies: v.array(PossibleGrant), truncated: truncatedPolicies }

/** Adds to the rows of a list what gives them access, as far as that fits a row. What many rows name is measured once. */
export function grantLimiter() {
  const sizes = new Map<Grant, number>()
  const sizeOf = (grant: Grant): number => {
    const size = sizes.get(grant) ?? answerBytes(grant)
    sizes.set(grant, size)
    return size
  }
  return async <R extends object>(row: R, grants: Grant[]) => {
    const maxBytes = maxRowBytes - answerBytes(row)
    const { kept, more } = await takeFitting(grants, { maxBytes, bytesOf: sizeOf })
    return { ...row, policies: kept, ...(more && { truncated: ['policies' as const] }) }
  }
}
