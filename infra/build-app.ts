import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { App, Aws, Stack, Tags } from 'aws-cdk-lib'
import { ManagedPolicy, PermissionsBoundary } from 'aws-cdk-lib/aws-iam'
import { loadOperations, type OperationSource } from '#functions/operations.ts'
import { bundle } from './code/bundle.ts'
import { featureFlags } from './feature-flags.ts'
import { FirewallStack } from './front/firewall-stack.ts'
import { FrontStack } from './front/front-stack.ts'
import { ServiceStack } from './service-stack.ts'
import { readSettings, type Settings } from './settings/settings.ts'
import { BackupStack } from './storage/backup-stack.ts'
import { DataStack } from './storage/data-stack.ts'

type Options = {
  /** Directory of the assembly; the CDK's own by default. */
  outdir?: string
  operations?: OperationSource[]
  code?: string
  /** Settings, as `cdk deploy -c name=value` gives them. */
  context?: Record<string, unknown>
}

/** Types that get their tags from the stack, as CloudFormation hands these on: in the template they would fill a fifth of what it may have. */
const taggedByStack = ['AWS::CloudFormation::Stack', 'AWS::CloudWatch::Alarm', 'AWS::Lambda::Function']

/** The stacks of the app: what holds data, and beside it what can be deleted and deployed anew. */
function addStacks(app: App, operations: OperationSource[], code: string): void {
  const settings = readSettings(app)
  const { stackName, backupVaultArn } = settings
  const data = new DataStack(app, `${stackName}-Data`, settings)
  if (backupVaultArn !== null) new BackupStack(app, `${stackName}-Backup`, settings, data.storage, backupVaultArn)
  const service = new ServiceStack(app, stackName, { settings, operations, code, data })
  addFront(app, settings, code, data, service)
  for (const [name, value] of Object.entries(settings.tags)) {
    Tags.of(app).add(name, value, { excludeResourceTypes: taggedByStack })
    // Stacks are left out unless they are asked for.
    Tags.of(app).add(name, value, { includeResourceTypes: ['aws:cdk:stack'] })
  }
  if (settings.permissionsBoundary !== null) boundRoles(app, settings.permissionsBoundary)
}

/** CloudFront before the API, where the deployment has a certificate for it. */
function addFront(app: App, settings: Settings, code: string, data: DataStack, service: ServiceStack): void {
  const { stackName, domainName, frontCertificateArn: certificateArn, webAclArn } = settings
  const { domainTarget: origin, channelHost: channelOrigin, alarmTopic } = service
  if (domainName === null || certificateArn === null || origin === null) return
  const firewall = webAclArn ?? new FirewallStack(app, `${stackName}-Firewall`, settings)
  const front = new FrontStack(app, `${stackName}-Front`, {
    settings,
    domainName,
    certificateArn,
    webAclArn: typeof firewall === 'string' ? firewall : firewall.webAclArn,
    origin,
    channelOrigin,
    code,
    logGroup: data.functionLogs,
    alarmTopic,
  })
  if (typeof firewall !== 'string') front.addStackDependency(firewall)
}

/** Sets the boundary of every role, those of the CDK's own functions as well. */
function boundRoles(app: App, policy: string): void {
  const arn = policy.startsWith('arn:') ? policy : `arn:${Aws.PARTITION}:iam::${Aws.ACCOUNT_ID}:policy/${policy}`
  for (const stack of app.node.children.filter((child) => Stack.isStack(child))) {
    PermissionsBoundary.of(stack).apply(ManagedPolicy.fromManagedPolicyArn(stack, 'Boundary', arn))
  }
}

/** The CDK app with every operation of the registry, its code bundled once. */
export async function buildApp({ outdir, operations, code, context }: Options = {}): Promise<App> {
  // Traces of constructs would take a sixth of a synthesis.
  const fast = { analyticsReporting: false, stackTraces: false, treeMetadata: false }
  const app = new App({ ...fast, context: { ...featureFlags, ...context }, outdir })
  const sources = operations ?? (await loadOperations())
  const directory = code ?? (await mkdtemp(join(tmpdir(), 'bundle-')))
  try {
    if (!code) await bundle(sources, directory)
    addStacks(app, sources, directory)
    return app
  } finally {
    // The assembly holds its own copy of the code as soon as the stack is made.
    if (!code) await rm(directory, { recursive: true, force: true })
  }
}
