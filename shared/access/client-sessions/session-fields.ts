import * as v from 'valibot'
import { PublicKey, Version } from '../../domain/sessions/session-fields.ts'
import { NullableText, Text } from '../../values/fields.ts'

const described = v.optional(NullableText(255))

/** The body of a client's session start (P3.1). */
export const ClientSessionFields = v.object({
  svc_id: Text(255),
  public_key: PublicKey,
  version: Version,
  hostname: described,
  device_serial: described,
  device_uuid: described,
  identifier_for_vendor: described,
  push_installation_id: described,
  os_name: described,
  os_version: described,
})
export type ClientSessionFields = v.InferOutput<typeof ClientSessionFields>
