import type { RecordedCall, Target } from './recorded-calls.ts'

const stackArn = (name: string): Target =>
  name.startsWith('arn:') ? (name as Target) : `arn:aws:cloudformation:us-east-1:000000000000:stack/${name}/id`
const functionArn = (name: string, qualifier: string | null): Target =>
  `arn:aws:lambda:us-east-1:000000000000:function:${name}${qualifier === null ? '' : `:${qualifier}`}`

const actions: Record<string, string> = {
  'GET /versions': 'ListVersionsByFunction',
  'GET /aliases/current': 'GetAlias',
  'PUT /aliases/current': 'UpdateAlias',
  'DELETE ': 'DeleteFunction',
}

/** Returns the IAM request for an AWS request about stacks, versions or aliases. Returns undefined for other requests. */
export function versionCall(url: URL, method: string, body: string): RecordedCall | undefined {
  const call = (action: string, target: Target): RecordedCall => ({ action, target, context: {} })
  if (url.hostname.startsWith('cloudformation.')) {
    const form = new URLSearchParams(body)
    return call(`cloudformation:${form.get('Action')}`, stackArn(String(form.get('StackName'))))
  }
  if (!url.hostname.startsWith('lambda.')) return undefined
  const [, name = '', below = ''] = /^\/2015-03-31\/functions\/([^/]+)(\/.*)?$/.exec(url.pathname) ?? []
  const action = actions[`${method} ${below}`]
  return action === undefined
    ? undefined
    : call(`lambda:${action}`, functionArn(name, url.searchParams.get('Qualifier')))
}
