import { parseTimestamp, timestamp } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import { fieldsOf } from '../../core/json/is-object.ts'
import { describeError } from '../../core/logging/describe-error.ts'
import { logLine } from '../../core/logging/log.ts'
import {
  type DeployedStack,
  type DeployedVersion,
  deployedStack,
  moveAlias,
  publishedVersions,
  readAlias,
} from './deployed-versions.ts'

type Reason = 'no_version_before' | 'at_another_version'

export type RolledBack = {
  to: 'previous' | 'deployed'
  /** Start of the deployment whose functions were selected. Null if the request names functions or selects all of them. */
  since: string | null
  moved: { function: string; from: number; to: number }[]
  /** Functions that already had the target version, for example from an earlier call. */
  unchanged: string[]
  left: { function: string; reason: Reason }[]
  /** Functions whose alias could not be read or moved. Another call retries them. */
  failed: { function: string; error: string }[]
}

type RollBackInput = { to: RolledBack['to']; since: number | null; functions: string[] | null }

const bad = (detail: string) => new ApiError('bad_request', detail)

function read(event: unknown): RollBackInput {
  const { to = 'previous', since, functions, ...unknown } = fieldsOf(event)
  const [name] = Object.keys(unknown)
  if (name !== undefined) throw bad(`${name} is not a known field. The fields are to, since and functions.`)
  if (to !== 'previous' && to !== 'deployed') throw bad('to must be previous or deployed.')
  const micros = typeof since === 'string' ? parseTimestamp(since) : null
  if (since !== undefined && micros === null) throw bad('since must be an RFC 3339 timestamp.')
  if (functions === undefined) return { to, since: micros === null ? null : micros / 1_000, functions: null }
  if (since !== undefined) throw bad('since and functions cannot be combined.')
  if (!Array.isArray(functions) || functions.length === 0 || !functions.every((name) => typeof name === 'string'))
    throw bad('functions must be a list of function names.')
  return { to, since: null, functions }
}

/** True while a deployment may move aliases, or the clean-up of a failed deployment may delete versions. */
const isUnderWay = (status: string): boolean =>
  /_IN_PROGRESS$/.test(status) && status !== 'UPDATE_COMPLETE_CLEANUP_IN_PROGRESS'

function selectVersions({ to, since, functions }: RollBackInput, { updatedAt, versions }: DeployedStack) {
  // Skips the function that runs this task, because it cannot move its own alias.
  const others = versions.filter(({ functionName }) => functionName !== process.env.AWS_LAMBDA_FUNCTION_NAME)
  if (functions !== null) {
    const names = new Set(others.map(({ functionName }) => functionName))
    const unknown = functions.find((name) => !names.has(name))
    if (unknown !== undefined) throw bad(`functions contains ${unknown}, which is not a function of this deployment.`)
    return { from: null, versions: others.filter(({ functionName }) => functions.includes(functionName)) }
  }
  const from = since ?? (to === 'previous' ? updatedAt : null)
  if (from === null && to === 'previous')
    throw bad('The stack has not been updated yet, so there is no previous version.')
  return { from, versions: others.filter(({ at }) => from === null || at >= from) }
}

/** True for consumers of data that other functions write. Consumers are moved first when moving forward, and last when moving back. */
const reads = ({ logicalId }: DeployedVersion): boolean => /^(Consumers|Passcodes)/.test(logicalId)

type Outcome = (result: RolledBack) => void

/**
 * Returns the deployed version or the version before it. The result does not depend on the alias, so a repeated call does not move further
 * back.
 */
async function targetOf(
  { functionName, version }: DeployedVersion,
  to: RollBackInput['to'],
): Promise<number | undefined> {
  if (to === 'deployed') return version
  return (await publishedVersions(functionName)).find((candidate) => candidate < version)
}

async function moveOne(deployedVersion: DeployedVersion, to: RollBackInput['to']): Promise<Outcome> {
  const { functionName: name } = deployedVersion
  const target = await targetOf(deployedVersion, to)
  if (target === undefined) return ({ left }) => left.push({ function: name, reason: 'no_version_before' })
  const alias = await readAlias(name)
  if (alias.version === target && alias.others.length === 0) return ({ unchanged }) => unchanged.push(name)
  // Leaves an alias unchanged if it was manually moved to a third version.
  if (to === 'previous' && alias.version !== deployedVersion.version && alias.version !== target)
    return ({ left }) => left.push({ function: name, reason: 'at_another_version' })
  try {
    await moveAlias(name, target, alias.revision)
  } catch (error) {
    // Accepts a move whose response was lost. In that case the retry fails, because the revision has changed.
    const now = await readAlias(name)
    if (now.version !== target || now.others.length > 0) throw error
  }
  return ({ moved }) => moved.push({ function: name, from: alias.version, to: target })
}

/** Number of concurrent requests. Lambda throttles more than 15 of these requests per second, and throttled requests are retried. */
const atOnce = 8

async function moveAll(versions: DeployedVersion[], result: RolledBack): Promise<void> {
  for (let at = 0; at < versions.length; at += atOnce) {
    const outcomes = versions.slice(at, at + atOnce).map(async (deployedVersion): Promise<Outcome> => {
      try {
        return await moveOne(deployedVersion, result.to)
      } catch (error) {
        logLine('ERROR', 'alias_not_moved', { function: deployedVersion.functionName, ...describeError(error) })
        const message = error instanceof Error ? error.name : 'Error'
        return ({ failed }) => failed.push({ function: deployedVersion.functionName, error: message })
      }
    })
    for (const outcome of await Promise.all(outcomes)) outcome(result)
  }
}

/**
 * Moves aliases to the version before the deployed one, or back to the deployed one. Idempotent: a repeated call retries aliases that were
 * not moved.
 */
export async function rollBack(event: unknown): Promise<RolledBack> {
  const request = read(event)
  const stack = await deployedStack()
  if (isUnderWay(stack.status))
    throw bad(`A deployment is in progress (${stack.status}). Use cancel-update-stack to roll it back.`)
  const { from, versions } = selectVersions(request, stack)
  const since = from === null ? null : timestamp(from * 1_000)
  const result: RolledBack = { to: request.to, since, moved: [], unchanged: [], left: [], failed: [] }
  const [readers, writers] = [versions.filter(reads), versions.filter((version) => !reads(version))]
  for (const group of request.to === 'previous' ? [writers, readers] : [readers, writers]) await moveAll(group, result)
  const { moved, failed } = result
  logLine('WARN', 'versions_moved', { to: request.to, moved: moved.length, failed: failed.length })
  return result
}
