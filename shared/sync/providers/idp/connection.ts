/** What an identity-provider directory is reached with (A26.1). */
export type IdpConnection = {
  /** `https://{idp_domain}`, or what the deployment calls instead. */
  baseUrl: string
  issuer: string
  clientId: string
  kid: string
  /** PEM. */
  privateKey: string
}
