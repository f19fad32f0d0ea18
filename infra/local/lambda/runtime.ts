import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { DeployedFunction } from '../../template/deployment.ts'

export type Runtime = {
  /**
   * Invokes a function as Lambda does.
   * @throws the function's error, or an error after its timeout
   */
  invoke(functionArn: string, event: unknown): Promise<unknown>
  /** Name of a function's entry file, or the function's full name if several entry files have the same name. */
  label(functionArn: string): string
  find(entry: string): DeployedFunction | undefined
}

type Handler = (event: unknown, context: unknown) => unknown

async function load({ codeDir, handler, name }: DeployedFunction): Promise<Handler> {
  const dot = handler.lastIndexOf('.')
  const file = join(codeDir, `${handler.slice(0, dot)}.mjs`)
  if (!existsSync(file)) throw new Error(`The handler ${handler} of ${name} has no file in ${codeDir}.`)
  const handlerExport = (await import(pathToFileURL(file).href))[handler.slice(dot + 1)]
  if (typeof handlerExport !== 'function')
    throw new Error(`${file} does not export the handler ${handler.slice(dot + 1)}.`)
  return handlerExport
}

function buildContext({ arn, name, timeoutSeconds }: DeployedFunction) {
  const end = Date.now() + timeoutSeconds * 1_000
  return {
    awsRequestId: randomUUID(),
    callbackWaitsForEmptyEventLoop: true,
    functionName: name,
    functionVersion: '$LATEST',
    invokedFunctionArn: arn,
    logGroupName: `/aws/lambda/${name}`,
    logStreamName: 'local',
    memoryLimitInMB: '1769',
    getRemainingTimeInMillis: () => end - Date.now(),
  }
}

function withTimeout(work: Promise<unknown>, { name, timeoutSeconds }: DeployedFunction): Promise<unknown> {
  const timeout = Promise.withResolvers<never>()
  const fault = new Error(`${name} timed out after ${timeoutSeconds} seconds`)
  const timer = setTimeout(() => timeout.reject(fault), timeoutSeconds * 1_000)
  return Promise.race([work, timeout.promise]).finally(() => clearTimeout(timer))
}

const entryPath = ({ handler }: DeployedFunction) => handler.slice(0, handler.lastIndexOf('.'))
const entryName = (fn: DeployedFunction) => entryPath(fn).split('/').at(-1) ?? fn.name

export function createRuntime(functions: ReadonlyMap<string, DeployedFunction>): Runtime {
  const handlers = new Map<string, Promise<Handler>>()
  const findFunction = (arn: string): DeployedFunction => {
    const found = functions.get(arn)
    if (!found) throw new Error(`The function ${arn} does not exist.`)
    return found
  }
  return {
    async invoke(arn, event) {
      const deployedFunction = findFunction(arn)
      const handler = handlers.get(arn) ?? load(deployedFunction)
      handlers.set(arn, handler)
      const run = await handler
      const work = Promise.try(() => run(event, buildContext(deployedFunction)))
      return withTimeout(work, deployedFunction)
    },
    label(arn) {
      const deployedFunction = findFunction(arn)
      const base = entryName(deployedFunction)
      const isUnique = [...functions.values()].filter((other) => entryName(other) === base).length === 1
      return isUnique ? base : deployedFunction.name
    },
    find: (entry) =>
      [...functions.values()].find((fn) => entryPath(fn) === entry || entryPath(fn).endsWith(`/${entry}`)),
  }
}
