/** The app registration that a tenant is read with. */
export type GraphConnection = {
  /** With the tenant in it. */
  tokenUrl: string
  apiUrl: string
  clientId: string
  clientSecret: string
}

/** What a tenant directory is reached with (A26.1). */
export type TenantConnection = GraphConnection & {
  issuer: string
  emailField: 'userPrincipalName' | 'mail'
  syncAllGroups: boolean
}
