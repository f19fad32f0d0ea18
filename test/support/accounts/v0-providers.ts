/** Request fields of a legacy OpenID Connect provider, with all required fields. */
export const openIdProvider = (fields: Record<string, unknown> = {}) => ({
  id: 'staff',
  label: 'Staff login',
  client_id: 'access',
  client_secret: 'open-sesame',
  discovery_document_uri: 'https://login.example.net/.well-known/openid-configuration',
  ...fields,
})

export const samlProvider = (fields: Record<string, unknown> = {}) => ({
  id: 'corp',
  label: 'Corp',
  metadata: '<EntityDescriptor/>',
  ...fields,
})
