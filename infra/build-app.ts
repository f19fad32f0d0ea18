import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { App, Aws, Stack, Tags } from 'aws-cdk-lib'
import { ManagedPolicy, PermissionsBoundary } from 'aws-cdk-lib/aws-iam'
import { loadOperations, type RoutedSource } from '#functions/operations.ts'
import { bundle } from './code/bundle.ts'
import { featureFlags } from './feature-flags.ts'
import { ServiceStack } from './service-stack.ts'
import { readSettings, type Settings } from './settings/settings.ts'
import { DataStack } from './storage/data-stack.ts'

type Options = {
  outdir?: string
  operations?: RoutedSource[]
  code?: string
  /** False for templates that are not deployed, to omit the hash that publishes a function's version. */
  versions?: boolean
  /** Settings, in the form that `cdk deploy -c name=value` passes. */
  context?: Record<string, unknown>
}

/** Resource types that inherit tags from their stack. Explicit tags on them would use up a fifth of the template's size limit. */
const taggedByStack = ['AWS::CloudFormation::Stack', 'AWS::CloudWatch::Alarm', 'AWS::Lambda::Function']

/** Adds the stacks. Loads optional stacks lazily, because their part of the CDK takes a tenth of the time of a first local start. */
async function addStacks(app: App, operations: RoutedSource[], code: string, versions: boolean): Promise<void> {
  const settings = readSettings(app)
  const { stackName, backupVaultArn } = settings
  const data = new DataStack(app, `${stackName}-Data`, settings)
  if (backupVaultArn !== null) {
    const { BackupStack } = await import('./storage/backup-stack.ts')
    new BackupStack(app, `${stackName}-Backup`, settings, data.storage, backupVaultArn)
  }
  const service = new ServiceStack(app, stackName, { settings, operations, code, versions, data })
  await addFront(app, settings, code, data, service)
  for (const [name, value] of Object.entries(settings.tags)) {
    Tags.of(app).add(name, value, { excludeResourceTypes: taggedByStack })
    // Tags the stacks, which the CDK tags only if their type is named explicitly.
    Tags.of(app).add(name, value, { includeResourceTypes: ['aws:cdk:stack'] })
  }
  if (settings.permissionsBoundary !== null) boundRoles(app, settings.permissionsBoundary)
}

async function addFront(app: App, settings: Settings, code: string, data: DataStack, service: ServiceStack) {
  const { stackName, domainName, frontCertificateArn: certificateArn, webAclArn } = settings
  const { domainTarget: origin, channelHost: channelOrigin, alarmTopic } = service
  if (domainName === null || certificateArn === null || origin === null) return
  const [{ FrontStack }, { FirewallStack }] = await Promise.all([
    import('./front/front-stack.ts'),
    import('./front/firewall-stack.ts'),
  ])
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

/** Sets the permissions boundary of every role, including roles of functions that the CDK adds. */
function boundRoles(app: App, policy: string): void {
  const arn = policy.startsWith('arn:') ? policy : `arn:${Aws.PARTITION}:iam::${Aws.ACCOUNT_ID}:policy/${policy}`
  for (const stack of app.node.children.filter((child) => Stack.isStack(child))) {
    PermissionsBoundary.of(stack).apply(ManagedPolicy.fromManagedPolicyArn(stack, 'Boundary', arn))
  }
}

export async function buildApp({ outdir, operations, code, versions = true, context }: Options = {}): Promise<App> {
  // Turns off stack traces and metadata, which would take a fifth of the synthesis time.
  const fast = { analyticsReporting: false, stackTraces: false, treeMetadata: false }
  const fastContext = {
    'aws:cdk:disable-creation-stack-traces': true,
    '@aws-cdk/core:enableAdditionalMetadataCollection': false,
  }
  const app = new App({ ...fast, context: { ...featureFlags, ...fastContext, ...context }, outdir })
  const sources = operations ?? (await loadOperations())
  const directory = code ?? (await mkdtemp(join(tmpdir(), 'bundle-')))
  try {
    if (!code) await bundle(sources, directory)
    await addStacks(app, sources, directory, versions)
    return app
  } finally {
    // Removes the bundle, because the assembly has its own copy.
    if (!code) await rm(directory, { recursive: true, force: true })
  }
}
