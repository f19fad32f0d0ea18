import * as v from 'valibot'

export const idText = 'Short name of the provider, unique in its list; not `identity`, `saml` or `magic_link`.'
export const metadataText = 'SAML metadata of the provider, an XML document.'

/** A way in by OpenID Connect, as it is stored and shown (`/v0` contract, 12.4). */
export const V0OpenIdProvider = v.object({
  id: v.pipe(v.string(), v.description(idText)),
  label: v.string(),
  client_id: v.string(),
  client_secret: v.string(),
  discovery_document_uri: v.string(),
  redirect_uri: v.nullable(v.string()),
  response_type: v.string(),
  scope: v.string(),
  auto_create_users: v.boolean(),
})
export type V0OpenIdProvider = v.InferOutput<typeof V0OpenIdProvider>

/** A way in by SAML. */
export const V0SamlProvider = v.object({
  id: v.pipe(v.string(), v.description(idText)),
  label: v.string(),
  base_url: v.string(),
  metadata: v.pipe(v.string(), v.description(metadataText)),
  sign_requests: v.boolean(),
  sign_metadata: v.boolean(),
  signed_assertion_in_resp: v.boolean(),
  signed_envelopes_in_resp: v.boolean(),
  auto_create_users: v.boolean(),
})
export type V0SamlProvider = v.InferOutput<typeof V0SamlProvider>
