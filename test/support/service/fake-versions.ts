import { fieldsOf } from '#shared/core/json/is-object.ts'

type FakeFunction = {
  logicalId: string
  /** Nested stack that contains the function, or undefined if the main stack contains it. */
  nested?: string
  versions: number[]
  /** Version in the current template. The deployment published it at the time `at`. */
  deployed: number
  at: string
  /** Replaced version that the stack has not yet deleted. */
  replaced?: number
  alias: number
  weights?: Record<string, number>
}

type Fault = (request: { method: string; path: string; action?: string }) => Response | undefined

const lambdaError = (name: string, status: number) =>
  Response.json({ Type: 'User', message: name }, { status, headers: { 'x-amzn-errortype': name } })

/** Fake of CloudFormation and Lambda: stacks with resources, and functions with versions and an alias. */
export class FakeVersions {
  status = 'UPDATE_COMPLETE'
  updatedAt: string | null = '2026-11-23T14:00:00.123Z'
  readonly functions: Map<string, FakeFunction>
  readonly requests: string[] = []
  /** Replaces the response to a request, unless the function returns undefined. */
  fault: Fault = () => undefined
  /** Runs after a change and before the response. A returned response replaces the normal response. */
  afterChange: () => Response | undefined = () => undefined
  #revisions = new Map<string, number>()

  constructor(functions: Record<string, FakeFunction>) {
    this.functions = new Map(Object.entries(functions))
  }

  aliases(): Record<string, number> {
    return Object.fromEntries([...this.functions].map(([name, { alias }]) => [name, alias]))
  }

  answer(input: string | URL | Request, init: RequestInit = {}): Response {
    const url = new URL(String(input))
    const [method, body] = [init.method ?? 'GET', String(init.body ?? '')]
    const form = new URLSearchParams(url.hostname.startsWith('cloudformation.') ? body : '')
    const action = form.get('Action') ?? undefined
    const path = decodeURIComponent(url.pathname) + url.search
    this.requests.push(action ? `${action} ${form.get('StackName')}` : `${method} ${path}`)
    const faulty = this.fault({ method, path, ...(action && { action }) })
    if (faulty) return faulty
    return action ? this.#cloudFormation(action, form) : this.#lambda(method, url, body)
  }

  #cloudFormation(action: string, form: URLSearchParams): Response {
    if (form.get('Version') !== '2010-05-15') throw new Error('The version of the API is missing.')
    if (action === 'DescribeStacks') {
      const updated = this.updatedAt === null ? '' : `<LastUpdatedTime>${this.updatedAt}</LastUpdatedTime>`
      return new Response(
        `<DescribeStacksResponse><DescribeStacksResult><Stacks><member>${updated}<StackName>NetworkAccess</StackName>
        <Outputs><member><OutputKey>a</OutputKey></member></Outputs><StackStatus>${this.status}</StackStatus></member></Stacks></DescribeStacksResult></DescribeStacksResponse>`,
      )
    }
    const stack = form.get('StackName')
    const all =
      stack === 'NetworkAccess' ? [...this.#nestedStacks(), ...this.#versionsOf()] : this.#versionsOf(String(stack))
    // Returns one resource per page, so that each list has several pages.
    const at = Number(form.get('NextToken') ?? 0)
    const next = at + 1 < all.length ? `<NextToken>${at + 1}</NextToken>` : ''
    return new Response(
      `<ListStackResourcesResponse><ListStackResourcesResult><StackResourceSummaries>${all[at] ?? ''}</StackResourceSummaries>${next}</ListStackResourcesResult></ListStackResourcesResponse>`,
    )
  }

  #nestedStacks(): string[] {
    const names = new Set([...this.functions.values()].flatMap(({ nested }) => nested ?? []))
    return [...names].map((name) => member('AWS::CloudFormation::Stack', 'Operations', name, '2026-11-23T14:05:00Z'))
  }

  #versionsOf(stack?: string): string[] {
    return [...this.functions]
      .filter(([, { nested }]) => nested === stack)
      .flatMap(([name, { logicalId, deployed, at, replaced }]) => {
        const arn = (version: number) => `arn:aws:lambda:eu-central-1:123456789012:function:${name}:${version}`
        const before =
          replaced === undefined ? [] : [member(version, `${logicalId}Before`, arn(replaced), '2026-11-01T00:00:00Z')]
        const failed = `<member><ResourceType>${version}</ResourceType><LogicalResourceId>${logicalId}Failed</LogicalResourceId></member>`
        return [failed, member(version, logicalId, arn(deployed), at), ...before]
      })
  }

  #lambda(method: string, url: URL, body: string): Response {
    const [, name = '', below = ''] = /^\/2015-03-31\/functions\/([^/]+)(\/.*)?$/.exec(url.pathname) ?? []
    const found = this.functions.get(name)
    if (!found) return lambdaError('ResourceNotFoundException', 404)
    if (below === '/versions') {
      // Returns two versions per page. The first page contains $LATEST.
      const at = Number(url.searchParams.get('Marker') ?? 0)
      const page = ['$LATEST', ...found.versions].slice(at, at + 2)
      const nextPage = at + 2 < found.versions.length + 1 ? { NextMarker: String(at + 2) } : {}
      return Response.json({
        Versions: page.map((Version) => ({ FunctionName: name, Version: String(Version) })),
        ...nextPage,
      })
    }
    if (below === '/aliases/current')
      return method === 'PUT' ? this.#move(name, found, fieldsOf(JSON.parse(body))) : this.#alias(name)
    return this.#remove(found, Number(url.searchParams.get('Qualifier')))
  }

  #alias(name: string): Response {
    const { alias, weights } = this.functions.get(name) as FakeFunction
    return Response.json({
      FunctionVersion: String(alias),
      Name: 'current',
      RevisionId: `revision-${this.#revisions.get(name) ?? 0}`,
      ...(weights && { RoutingConfig: { AdditionalVersionWeights: weights } }),
    })
  }

  #move(
    name: string,
    found: FakeFunction,
    { FunctionVersion, RevisionId, RoutingConfig }: Record<string, unknown>,
  ): Response {
    const revision = this.#revisions.get(name) ?? 0
    if (RevisionId !== `revision-${revision}`) return lambdaError('PreconditionFailedException', 412)
    if (!found.versions.includes(Number(FunctionVersion))) return lambdaError('ResourceNotFoundException', 404)
    this.#revisions.set(name, revision + 1)
    found.alias = Number(FunctionVersion)
    if (Object.keys(fieldsOf(fieldsOf(RoutingConfig).AdditionalVersionWeights)).length === 0) delete found.weights
    return this.afterChange() ?? this.#alias(name)
  }

  #remove(found: FakeFunction, version: number): Response {
    if (!Number.isInteger(version) || version < 1) throw new Error('The request would delete the whole function.')
    if (found.alias === version || found.weights?.[version] !== undefined)
      return lambdaError('ResourceConflictException', 409)
    if (!found.versions.includes(version)) return lambdaError('ResourceNotFoundException', 404)
    found.versions = found.versions.filter((one) => one !== version)
    return new Response(null, { status: 204 })
  }
}

const version = 'AWS::Lambda::Version'

const member = (type: string, logicalId: string, physicalId: string, at: string): string =>
  `<member><LogicalResourceId>${logicalId}</LogicalResourceId><PhysicalResourceId>${physicalId}</PhysicalResourceId><ResourceType>${type}</ResourceType><LastUpdatedTimestamp>${at}</LastUpdatedTimestamp><ResourceStatus>CREATE_COMPLETE</ResourceStatus><DriftInformation><StackResourceDriftStatus>NOT_CHECKED</StackResourceDriftStatus></DriftInformation></member>`
