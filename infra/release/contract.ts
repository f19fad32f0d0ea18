import { allStacks } from '../local/template/all-stacks.ts'
import { readAssembly } from '../local/template/assembly.ts'
import { readDeployment } from '../local/template/deployment.ts'
import type { Stack } from '../local/template/stack.ts'
import { withoutCode } from '../without-code.ts'

/** What must not be lost or made anew, with the properties that would do so. */
type Kept = { type: string; deletion: string; replacement: string; properties: Record<string, unknown> }

/** What the templates of a release promise to the deployments there are. */
export type TemplateContract = {
  /** By the name of the stack: what it keeps, by logical id, and its outputs. Nested ones are here if they keep something. */
  stacks: Record<string, { kept: Record<string, Kept>; outputs: string[] }>
  terminationProtection: string[]
  /** The function of each route, as its stack and id name it. */
  routes: Record<string, string>
}

/**
 * The properties whose change replaces a resource, or what is in it, by its type. A table whose stream changes loses what
 * nobody has read of it; a secret whose generation changes gets a new value; a mapping that is replaced reads anew.
 */
const replacing: Record<string, string[]> = {
  'AWS::ApiGatewayV2::Api': ['ProtocolType'],
  'AWS::ApiGatewayV2::DomainName': ['DomainName'],
  'AWS::Backup::BackupVault': ['BackupVaultName', 'EncryptionKeyArn'],
  'AWS::CloudFront::Distribution': [],
  'AWS::DynamoDB::GlobalTable': [
    'TableName',
    'KeySchema',
    'AttributeDefinitions',
    'LocalSecondaryIndexes',
    'StreamSpecification',
  ],
  'AWS::KMS::Key': ['KeySpec', 'KeyUsage', 'MultiRegion', 'Origin'],
  'AWS::Kinesis::Stream': ['Name'],
  'AWS::Lambda::EventSourceMapping': ['EventSourceArn', 'StartingPosition', 'StartingPositionTimestamp'],
  'AWS::Logs::LogGroup': ['LogGroupName', 'LogGroupClass'],
  'AWS::S3::Bucket': ['BucketName'],
  'AWS::SNS::Topic': ['TopicName', 'FifoTopic'],
  'AWS::SecretsManager::Secret': ['Name', 'GenerateSecretString', 'SecretString'],
}

/** Kept for a rollback, and no promise: each change of the code makes others. */
const versions = 'AWS::Lambda::Version'

function keptIn({ template, name }: Stack): [string, Kept][] {
  return Object.entries(template.Resources ?? {}).flatMap(([id, resource]) => {
    const { Type: type, Properties = {}, DeletionPolicy: deletion = 'Delete' } = resource
    const { UpdateReplacePolicy: replacement = 'Delete' } = resource
    if (type === versions) return []
    const names = replacing[type]
    if (!names) {
      if (deletion === 'Delete' && replacement === 'Delete') return []
      throw new Error(`${id} in ${name} is kept: infra/release/contract.ts must say what replaces a ${type}.`)
    }
    const properties = Object.fromEntries(
      names.filter((each) => each in Properties).map((each) => [each, Properties[each]]),
    )
    return [[id, { type, deletion, replacement, properties }]]
  })
}

const sorted = <T>(entries: [string, T][]): Record<string, T> =>
  Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)))

/** Reads the contract of what a synthesis has written. */
export function contractOf(outdir: string): TemplateContract {
  const assembly = readAssembly(outdir)
  const deployed = new Set(assembly.stacks.map(({ name }) => name))
  // What a nested stack hands to its parent is deployed together with it.
  const outputsOf = ({ name, template }: Stack) =>
    deployed.has(name) ? Object.keys(template.Outputs ?? {}).sort() : []
  const stacks = allStacks(assembly).flatMap((stack): [string, TemplateContract['stacks'][string]][] => {
    const kept = sorted(keptIn(stack))
    const nothing = !deployed.has(stack.name) && Object.keys(kept).length === 0
    return nothing ? [] : [[stack.name, { kept, outputs: outputsOf(stack) }]]
  })
  return {
    stacks: sorted(stacks),
    terminationProtection: assembly.stacks
      .filter((stack) => stack.terminationProtection)
      .map(({ name }) => name)
      .sort(),
    routes: sorted(
      readDeployment(outdir).routes.map(({ key, functionArn }) => [key, functionArn.split('/').at(-1) ?? '']),
    ),
  }
}

/** Settings with which every stack of the app is there. */
const everything = {
  backupVaultArn: 'arn:aws:backup:eu-west-1:123456789012:backup-vault:elsewhere',
  encryptionKey: 'own',
  domainName: 'access.example.com',
  certificateArn: 'arn:aws:acm:eu-central-1:123456789012:certificate/here',
  frontCertificateArn: 'arn:aws:acm:us-east-1:123456789012:certificate/there',
}

/** The contract of the templates as the code makes them now. */
export const contractOfNow = (): Promise<TemplateContract> =>
  withoutCode({ context: everything }, (app, outdir) => {
    app.synth()
    return contractOf(outdir)
  })
