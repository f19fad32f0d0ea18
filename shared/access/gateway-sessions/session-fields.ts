import * as v from 'valibot'
import { PublicKey, Version } from '../../domain/sessions/session-fields.ts'
import { field } from '../../values/field.ts'
import { NullableText } from '../../values/fields.ts'

/** The body of a gateway's session start (P2). */
export const GatewaySessionFields = v.object({
  public_key: PublicKey,
  version: Version,
  name: v.optional(NullableText(255)),
})
export type GatewaySessionFields = v.InferOutput<typeof GatewaySessionFields>

/** Opaque; a value that cannot be one counts as absent (P4.3). */
const Since = field<string | null>((input) => ({ value: typeof input === 'string' ? input : null }), {
  type: ['string', 'null'],
})

export const HeartbeatFields = v.object({ since: v.optional(Since) })
