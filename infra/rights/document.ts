import { Stack } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { withoutCode } from '../without-code.ts'

type Statement = {
  Effect: 'Allow' | 'Deny'
  Action: string | string[]
  Resource: unknown
  Condition?: Record<string, Record<string, string | string[]>>
}
type Resource = { Type: string; Properties: Record<string, unknown> & { PolicyDocument?: { Statement: Statement[] } } }

/** Returns the name of the role that a reference points to, such as `Writer`, even if the reference is in a nested stack. */
const roleIn = (reference: unknown): string =>
  /Roles([A-Z][A-Za-z]+?)[0-9A-F]{8}/.exec(JSON.stringify(reference))?.[1] ?? ''

const code = (text: string): string => `\`${text}\``

function resourceName(reference: unknown): string {
  const text = JSON.stringify(reference)
  if (reference === '*') return 'the account'
  if (text.includes('Outputs.Table')) return 'the table'
  if (text.includes('Outputs.FlowStreamArn')) return 'the flow stream'
  if (text.includes('SigningSecret')) return 'the signing secret'
  if (text.includes('SecretKey')) return 'the key of stored secrets'
  if (text.includes('/api-token/')) return 'the secrets of new API tokens'
  if (text.includes('Outputs.FailuresBucket')) return 'the bucket of failed batches'
  if (text.includes('Outputs.SealedBucket')) return 'the bucket of the sealed logs'
  if (text.includes('Outputs.ArchiveBucket')) return 'the bucket of archived logs'
  if (text.includes('Outputs.SealKeyArn')) return 'the key of the sealed logs'
  if (text.includes('PasscodesMailPasscode')) return 'the function that mails passcodes'
  if (text.includes(':cloudformation:')) return "the service's stacks"
  if (text.includes(':function:'))
    return text.includes(':*') ? 'versions of functions of the service' : 'functions of the service'
  if (text.includes('LogGroup') || text.includes('FunctionLogs')) return 'its log group'
  if (text.includes('@connections')) return 'the connections of the live channel'
  if (/Consumers\w*(WriteChangeLog|FollowUp|StoreFlowLogs)/.test(text)) return 'the consumers'
  return text
}

function renderStatement({ Effect, Action, Resource: target, Condition }: Statement): string {
  const actions = [Action].flat().map(code)
  const on = [...new Set([target].flat().map(resourceName))].join(', ')
  // Reads the condition of an allow or deny statement. An allow requires all partition keys of a request to match. A deny applies as soon
  // as one matches.
  const condition = Condition?.['ForAllValues:StringLike'] ?? Condition?.['ForAnyValue:StringLike']
  const keys = [condition?.['dynamodb:LeadingKeys'] ?? []].flat()
  // Replaces the pattern of an account ID, which consists of 36 question marks.
  const partitionList = keys.map((key) => code(key.replace(/^\?{36}/, '<account>'))).join(', ')
  return `- ${actions.join(', ')} on ${on}${partitionList && `, ${Effect === 'Allow' ? 'only ' : ''}in ${partitionList}`}`
}

/** Builds `docs/rights.md`: the permissions of each function in a deployment with default settings. */
export async function rightsDocument(): Promise<string> {
  const resources = await withoutCode({}, (app) => {
    const stacks = app.node.findAll().filter((node) => Stack.isStack(node))
    return stacks.flatMap((stack) => Object.values<Resource>(Template.fromStack(stack).toJSON().Resources ?? {}))
  })
  const byRole = (type: string, property: string) => {
    const ofType = resources.filter(({ Type }) => Type === type)
    return Map.groupBy(ofType, ({ Properties }) => roleIn(Properties[property]))
  }
  const policies = byRole('AWS::IAM::Policy', 'Roles')
  const functions = byRole('AWS::Lambda::Function', 'Role')
  functions.delete('')
  const sections = [...functions].sort().map(([role, roleFunctions]) => {
    const documents = (policies.get(role) ?? []).map(({ Properties }) => Properties.PolicyDocument)
    const statements = documents.flatMap((document) => document?.Statement ?? [])
    const { Allow = [], Deny = [] } = Object.groupBy(statements, ({ Effect }) => Effect)
    const files = roleFunctions.map(({ Properties }) =>
      code(`functions/${Properties.Handler}`.replace(/\.handler$/, '.ts')),
    )
    return `## ${role}

May:

${Allow.map(renderStatement).join('\n')}

Must not (an explicit deny, which overrides every allow):

${Deny.map(renderStatement).join('\n')}

Functions:

${files
  .map((file) => `- ${file}`)
  .sort()
  .join('\n')}
`
  })
  return [
    '# Rights',
    '',
    'The IAM rights of each Lambda function, by role: the statements of the role, then the functions that use it. `npm run fix` generates',
    'this page from the templates of a deployment with default settings. Roles are declared in `infra/roles/roles.ts`.',
    '',
    '`<account>` stands for the ID of any account of the service. The policies do not restrict a function to one account. The code does that,',
    "based on the caller's token.",
    '',
    ...sections,
  ].join('\n')
}
