import { CloudFormationClient, DescribeStacksCommand, paginateListStackResources } from '@aws-sdk/client-cloudformation'
import {
  DeleteFunctionCommand,
  GetAliasCommand,
  paginateListVersionsByFunction,
  UpdateAliasCommand,
} from '@aws-sdk/client-lambda'
import { awsClient } from '../../core/aws/clients.ts'
import { lambda } from '../../core/aws/lambda.ts'
import { currentAlias } from '../../core/current-alias.ts'
import { env } from '../../core/env.ts'

export type DeployedVersion = {
  functionName: string
  version: number
  /** Time of publication in epoch milliseconds. */
  at: number
  /** Name of the resource in its CloudFormation template. */
  logicalId: string
}

const cloudFormation = () => awsClient(CloudFormationClient)

type Resource = { type: string; physicalId: string; logicalId: string; at: number }

async function resourcesOf(StackName: string): Promise<Resource[]> {
  const found: Resource[] = []
  for await (const page of paginateListStackResources({ client: cloudFormation() }, { StackName })) {
    for (const resource of page.StackResourceSummaries ?? []) {
      const { ResourceType = '', PhysicalResourceId, LogicalResourceId = '', LastUpdatedTimestamp } = resource
      // Skips deleted resources, and resources whose creation failed, which have no physical id.
      if (!PhysicalResourceId || resource.ResourceStatus === 'DELETE_COMPLETE') continue
      const at = LastUpdatedTimestamp?.getTime() ?? 0
      found.push({ type: ResourceType, physicalId: PhysicalResourceId, logicalId: LogicalResourceId, at })
    }
  }
  return found
}

/** Parses a physical id of the form `arn:aws:lambda:<region>:<account>:function:<name>:<version>`. */
function versionOf({ physicalId, logicalId, at }: Resource): DeployedVersion {
  const [, , , , , , functionName = '', version] = physicalId.split(':')
  return { functionName, version: Number(version), at, logicalId }
}

/** Keeps the newest version of each function. Until a deployment is cleaned up, the stack also contains the replaced version. */
function newestOfEach(versions: DeployedVersion[]): DeployedVersion[] {
  const newest = new Map<string, DeployedVersion>()
  for (const version of versions) {
    const latest = newest.get(version.functionName)
    if (!latest || version.version > latest.version) newest.set(version.functionName, version)
  }
  return [...newest.values()]
}

/** Reads the function versions in the service's stack and its nested stacks. */
export async function deployedStack() {
  const { Stacks = [] } = await cloudFormation().send(new DescribeStacksCommand({ StackName: env.serviceName }))
  const versions: DeployedVersion[] = []
  const stacks = [env.serviceName]
  for (const stack of stacks) {
    const resources = await resourcesOf(stack)
    stacks.push(
      ...resources.filter(({ type }) => type === 'AWS::CloudFormation::Stack').map((resource) => resource.physicalId),
    )
    versions.push(...resources.filter(({ type }) => type === 'AWS::Lambda::Version').map(versionOf))
  }
  return {
    status: Stacks[0]?.StackStatus ?? '',
    /** Start of the last update in epoch milliseconds; null if the stack was never updated. */
    updatedAt: Stacks[0]?.LastUpdatedTime?.getTime() ?? null,
    versions: newestOfEach(versions),
  }
}

export type DeployedStack = Awaited<ReturnType<typeof deployedStack>>

/** Lists the published versions of a function, newest first. */
export async function publishedVersions(FunctionName: string): Promise<number[]> {
  const found: number[] = []
  for await (const { Versions = [] } of paginateListVersionsByFunction({ client: lambda() }, { FunctionName }))
    found.push(...Versions.map(({ Version }) => Number(Version)).filter(Number.isInteger))
  return found.sort((a, b) => b - a)
}

/** Reads a function's alias `current`: its version, the `others` that receive a share of the calls, and its revision. */
export async function readAlias(FunctionName: string) {
  const alias = await lambda().send(new GetAliasCommand({ FunctionName, Name: currentAlias }))
  const others = Object.keys(alias.RoutingConfig?.AdditionalVersionWeights ?? {}).map(Number)
  return { version: Number(alias.FunctionVersion), others, revision: String(alias.RevisionId) }
}

/**
 * Routes all calls to the alias `current` to one version.
 * @throws PreconditionFailedException if the alias has changed since `revision`
 */
export async function moveAlias(FunctionName: string, version: number, revision: string): Promise<void> {
  await lambda().send(
    new UpdateAliasCommand({
      FunctionName,
      Name: currentAlias,
      FunctionVersion: String(version),
      RoutingConfig: { AdditionalVersionWeights: {} },
      RevisionId: revision,
    }),
  )
}

/** Deletes one version. @throws ResourceConflictException if an alias points to it */
export async function deleteVersion(FunctionName: string, version: number): Promise<void> {
  await lambda().send(new DeleteFunctionCommand({ FunctionName, Qualifier: String(version) }))
}
