/** Access log fields and their API Gateway variables (docs/operating.md). The log includes requests that reach no function. */
const fields = {
  requestId: 'requestId',
  time: 'requestTime',
  source: 'identity.sourceIp',
  method: 'httpMethod',
  path: 'path',
  routeKey: 'routeKey',
  status: 'status',
  responseLatency: 'responseLatency',
  integrationLatency: 'integrationLatency',
  integrationStatus: 'integrationStatus',
  integrationErrorMessage: 'integrationErrorMessage',
  functionRequestId: 'integration.requestId',
  errorMessage: 'error.message',
  responseLength: 'responseLength',
}

export const accessLogFormat = JSON.stringify(
  Object.fromEntries(Object.entries(fields).map(([name, variable]) => [name, `$context.${variable}`])),
)
