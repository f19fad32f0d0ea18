/** The settings of a deployment that are environment variables on one machine (docs/settings.md). */
export const settingVariables: Record<string, string> = {
  logLevel: 'LOG_LEVEL',
  logRetentionDays: 'LOG_RETENTION_DAYS',
  flowRetentionDays: 'FLOW_RETENTION_DAYS',
  mailSender: 'MAIL_SENDER',
  signInRedirectUris: 'SIGN_IN_REDIRECT_URIS',
  signInBurst: 'SIGN_IN_BURST',
  suiteIssuer: 'SUITE_ISSUER',
  tenantIssuer: 'TENANT_ISSUER',
  idpApiUrl: 'IDP_API_URL',
  suiteTokenUrl: 'SUITE_TOKEN_URL',
  suiteApiUrl: 'SUITE_API_URL',
  tenantTokenUrl: 'TENANT_TOKEN_URL',
  tenantApiUrl: 'TENANT_API_URL',
  mdmApiUrl: 'MDM_API_URL',
}
