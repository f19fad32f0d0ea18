import { elementTexts } from '../../core/aws/element-texts.ts'
import { serviceHost } from '../../core/aws/service-host.ts'
import { signedFetch, uriEncode } from '../../core/aws/signed-fetch.ts'
import { env } from '../../core/env.ts'

/** A version of a function as the stack of the service has it. */
export type DeployedVersion = {
  functionName: string
  version: number
  /** When the deployment published it, in milliseconds. */
  at: number
  /** Name of the resource in its template. */
  logicalId: string
}

export type DeployedStack = {
  status: string
  /** When the last deployment began, in milliseconds; null before the first update. */
  updatedAt: number | null
  versions: DeployedVersion[]
}

const apiVersion = '2010-05-15'
const timeoutMs = 10_000

/** CloudFormation takes forms and answers in XML. */
async function ask(parameters: Record<string, string>): Promise<string> {
  const form = { ...parameters, Version: apiVersion }
  const body = Object.entries(form)
    .map(([name, value]) => `${name}=${uriEncode(value)}`)
    .join('&')
  const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' }
  const host = serviceHost('cloudformation')
  const response = await signedFetch(
    { service: 'cloudformation', method: 'POST', host, path: '/', headers, body },
    timeoutMs,
  )
  return response.text()
}

type Resource = { type: string; physicalId: string; logicalId: string; at: number }

async function resourcesOf(stack: string): Promise<Resource[]> {
  const found: Resource[] = []
  for (let token: string | undefined, first = true; first || token; first = false) {
    const more: Record<string, string> = token ? { NextToken: token } : {}
    const xml = await ask({ Action: 'ListStackResources', StackName: stack, ...more })
    for (const member of elementTexts(xml, 'member')) {
      const text = (name: string) => elementTexts(member, name)[0] ?? ''
      // A resource whose creation has failed has no name.
      if (!text('PhysicalResourceId') || text('ResourceStatus') === 'DELETE_COMPLETE') continue
      found.push({
        type: text('ResourceType'),
        physicalId: text('PhysicalResourceId'),
        logicalId: text('LogicalResourceId'),
        at: Date.parse(text('LastUpdatedTimestamp')),
      })
    }
    token = elementTexts(xml, 'NextToken')[0]?.replaceAll('&amp;', '&')
  }
  return found
}

/** `arn:aws:lambda:<region>:<account>:function:<name>:<version>` */
function versionOf({ physicalId, logicalId, at }: Resource): DeployedVersion {
  const [, , , , , , functionName = '', version] = physicalId.split(':')
  return { functionName, version: Number(version), at, logicalId }
}

/** Until a deployment has cleaned up, the stack has the replaced version as well. */
function newestOfEach(versions: DeployedVersion[]): DeployedVersion[] {
  const newest = new Map<string, DeployedVersion>()
  for (const version of versions) {
    const known = newest.get(version.functionName)
    if (!known || version.version > known.version) newest.set(version.functionName, version)
  }
  return [...newest.values()]
}

/** Reads the versions that the stack of this install has deployed, also in nested stacks. */
export async function deployedStack(): Promise<DeployedStack> {
  const xml = await ask({ Action: 'DescribeStacks', StackName: env.serviceName })
  const [updated] = elementTexts(xml, 'LastUpdatedTime')
  const versions: DeployedVersion[] = []
  const stacks = [env.serviceName]
  for (const stack of stacks) {
    const resources = await resourcesOf(stack)
    stacks.push(...resources.filter(({ type }) => type === 'AWS::CloudFormation::Stack').map((one) => one.physicalId))
    versions.push(...resources.filter(({ type }) => type === 'AWS::Lambda::Version').map(versionOf))
  }
  return {
    status: elementTexts(xml, 'StackStatus')[0] ?? '',
    updatedAt: updated === undefined ? null : Date.parse(updated),
    versions: newestOfEach(versions),
  }
}
