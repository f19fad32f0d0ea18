import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Request, sampleRequests } from '#test/support/operations/sample-requests.ts'

// Process that loads one version's bundle, and sends requests with that version's samples.
const [root = '', code = ''] = process.argv.slice(2)
process.stdout.write = () => true

type World = Awaited<ReturnType<typeof sampleRequests>>
const load = (file: string) => import(pathToFileURL(join(root, file)).href)
/** Loads a helper from its current folder. In earlier versions, loads it directly from `test/support`. */
const loadSupport = (folder: string, file: string) =>
  load(
    [join('test/support', folder, file), join('test/support', file)].find((path) => existsSync(join(root, path))) ??
      file,
  )
const newWorld: typeof sampleRequests = (await loadSupport('operations', 'sample-requests.ts')).sampleRequests
const { call, eventOf, toEvent = eventOf } = await loadSupport('accounts', 'account.ts')
const { loadOperations } = await load('functions/operations.ts')
const files = new Map<string, string>()
for (const { operation, file } of await loadOperations()) files.set(`${operation.method} ${operation.path}`, file)

let world: World | undefined
let listed = false

async function prepare(name: string, count: number): Promise<{ world: World; requests: Request[] }> {
  // Creates a world for each grant, because each sample brings one more gateway online, which slows down the choice of a gateway.
  if (name === 'POST /client/authorizations') world = await newWorld()
  world ??= await newWorld()
  const make = async (of: string): Promise<Request> => (await world?.samples[of]?.()) ?? {}
  if (name === 'GET /groups' && !listed) {
    for (let i = 0; i < 100; i++) await world.send('POST /groups', await make('POST /groups'))
    listed = true
  }
  const requests: Request[] = []
  // Repeats the same read request, because reads change nothing.
  const once = name.startsWith('GET ') ? await make(name) : null
  for (let i = 0; i < count; i++) requests.push(once ?? (await make(name)))
  return { world, requests }
}

async function newEvent(name: string): Promise<{ file: string; event: object }> {
  const { world, requests } = await prepare(name, 1)
  const [method = '', template = ''] = name.split(' ')
  const path = template.replace(/\{(\w+)\}/g, (_, param) => requests[0]?.params?.[param] ?? '')
  const event = toEvent({ method, path, token: world.account.token, ...requests[0] })
  return { file: String(files.get(name)).replace(/\.ts$/, '.mjs'), event }
}

/** Mean CPU of `count` requests, in milliseconds. */
async function cpuOf(name: string, count: number, query?: object): Promise<number> {
  const { handler } = await import(pathToFileURL(join(code, String(files.get(name)).replace(/\.ts$/, '.mjs'))).href)
  const { world, requests } = await prepare(name, count)
  const [method = '', template = ''] = name.split(' ')
  const start = process.cpuUsage()
  for (const request of requests) {
    const path = template.replace(/\{(\w+)\}/g, (_, param) => request.params?.[param] ?? '')
    const { status, text } = await call(handler, {
      method,
      path,
      token: world.account.token,
      ...request,
      ...(query && { query }),
    })
    if (status > 202) throw new Error(`${name} answered ${text}`)
  }
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1_000 / count
}

process.on('message', async ({ name, count, query }: { name: string; count: number; query?: object }) => {
  process.send?.(count === 0 ? await newEvent(name) : await cpuOf(name, count, query))
})
process.send?.('ready')
