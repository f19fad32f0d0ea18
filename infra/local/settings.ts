/** Environment variables for the settings that a local service supports, keyed by setting (docs/settings.md). */
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

export const settingsFromVariables = (): Record<string, string> => {
  const fromVariables = Object.entries(settingVariables).map(([setting, variable]) => [setting, process.env[variable]])
  // Sets a mail sender. Mails are written to files unless SMTP_URL is set. Sets the retention to 0, because the folder of sealed logs has
  // no object lock.
  const defaults = { mailSender: 'network-access@example.com', sealRetentionDays: '0' }
  return { ...defaults, ...Object.fromEntries(fromVariables.filter(([, value]) => value)) }
}
