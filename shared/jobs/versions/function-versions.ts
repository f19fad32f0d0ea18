import { serviceHost } from '../../core/aws/service-host.ts'
import { type SignedRequest, signedFetch } from '../../core/aws/signed-fetch.ts'
import { liveAlias } from '../../core/live-alias.ts'

export type LiveAlias = {
  version: number
  /** Further versions that get a part of the calls. */
  others: number[]
  /** Changes with each update of the alias. */
  revision: string
}

const timeoutMs = 10_000

function ask(functionName: string, request: Pick<SignedRequest, 'method' | 'query' | 'body'> & { below?: string }) {
  const { below = '', ...rest } = request
  const path = `/2015-03-31/functions/${functionName}${below}`
  return signedFetch({ service: 'lambda', host: serviceHost('lambda'), path, ...rest }, timeoutMs)
}

type Listed = { Versions: { Version: string }[]; NextMarker?: string }

/** Numbers of the published versions of a function, the newest first. */
export async function publishedVersions(functionName: string): Promise<number[]> {
  const found: number[] = []
  for (let marker: string | undefined, first = true; first || marker; first = false) {
    const query: Record<string, string> = marker ? { Marker: marker } : {}
    const response = await ask(functionName, { method: 'GET', below: '/versions', query })
    const page = (await response.json()) as Listed
    found.push(...page.Versions.map(({ Version }) => Number(Version)).filter(Number.isInteger))
    marker = page.NextMarker
  }
  return found.sort((one, other) => other - one)
}

type Alias = {
  FunctionVersion: string
  RevisionId: string
  RoutingConfig?: { AdditionalVersionWeights?: Record<string, number> }
}

/** Reads the alias by which everything invokes a function. */
export async function readAlias(functionName: string): Promise<LiveAlias> {
  const response = await ask(functionName, { method: 'GET', below: `/aliases/${liveAlias}` })
  const { FunctionVersion, RevisionId, RoutingConfig } = (await response.json()) as Alias
  const others = Object.keys(RoutingConfig?.AdditionalVersionWeights ?? {}).map(Number)
  return { version: Number(FunctionVersion), others, revision: RevisionId }
}

/** Moves all calls to a version. @throws PreconditionFailedException where the alias was changed since it was read */
export async function moveAlias(functionName: string, version: number, revision: string): Promise<void> {
  const body = JSON.stringify({
    FunctionVersion: String(version),
    RoutingConfig: { AdditionalVersionWeights: {} },
    RevisionId: revision,
  })
  await ask(functionName, { method: 'PUT', below: `/aliases/${liveAlias}`, body })
}

/** Deletes one version. @throws ResourceConflictException where an alias points to it */
export async function deleteVersion(functionName: string, version: number): Promise<void> {
  await ask(functionName, { method: 'DELETE', query: { Qualifier: String(version) } })
}
