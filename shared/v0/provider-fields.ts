import * as v from 'valibot'
import { documented, type JsonSchema, maxKeys } from '../values/field.ts'
import { textPattern } from '../values/text.ts'
import { booleanCast, TextCast } from './casts.ts'
import { idText, metadataText } from './configuration.ts'

/** Maximum number of providers in each of the two provider lists. */
export const maxProviders = 20

const requiredText = (maxLength: number, more: JsonSchema = {}) =>
  v.optional(documented(TextCast, { type: 'string', minLength: 1, maxLength, pattern: textPattern.filled, ...more }))
const text = v.optional(documented(TextCast, { maxLength: 2048 }))
const falseByDefault = v.optional(booleanCast(false))
const trueByDefault = v.optional(booleanCast(true))

export const V0OpenIdProviderFields = v.object({
  id: requiredText(255, { description: idText }),
  label: requiredText(255),
  client_id: requiredText(2048),
  client_secret: requiredText(2048),
  discovery_document_uri: requiredText(2048),
  redirect_uri: text,
  response_type: text,
  scope: text,
  auto_create_users: falseByDefault,
})
export type V0OpenIdProviderInput = v.InferOutput<typeof V0OpenIdProviderFields>

export const V0SamlProviderFields = v.object({
  id: requiredText(255, { description: idText }),
  label: requiredText(255),
  base_url: text,
  metadata: requiredText(65_536, { description: metadataText }),
  sign_requests: trueByDefault,
  sign_metadata: trueByDefault,
  signed_assertion_in_resp: trueByDefault,
  signed_envelopes_in_resp: trueByDefault,
  auto_create_users: falseByDefault,
})
export type V0SamlProviderInput = v.InferOutput<typeof V0SamlProviderFields>

/** Builds the JSON Schema for a list item from its fields. Fields with a minimum length are required. */
function itemSchema({ entries }: { entries: Record<string, { wrapped: v.GenericSchema }> }): JsonSchema {
  const fields = Object.entries(entries).map(([name, { wrapped }]): [string, JsonSchema] => {
    const { jsonSchema, more }: { jsonSchema?: JsonSchema; more?: JsonSchema } = v.getMetadata(wrapped)
    return [name, { ...jsonSchema, ...more }]
  })
  return {
    type: 'object',
    required: fields.flatMap(([name, { minLength }]) => (minLength === 1 ? [name] : [])),
    maxProperties: maxKeys,
    properties: Object.fromEntries(fields),
  }
}

export const openIdProviderSchema = itemSchema(V0OpenIdProviderFields)
export const samlProviderSchema = itemSchema(V0SamlProviderFields)
