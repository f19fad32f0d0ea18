import { isUtf8 } from 'node:buffer'
import { ApiError } from '../core/errors.ts'
import { isObject } from '../core/json/is-object.ts'
import { jsonFaultPosition } from '../core/json/json-fault.ts'
import { maxKeys, tooManyKeys } from '../values/field.ts'
import type { Operation } from './operation.ts'

function parse(body: Buffer): unknown {
  if (!isUtf8(body)) throw new ApiError('invalid_json', 'The request body is not UTF-8 text.')
  const text = new TextDecoder().decode(body)
  try {
    return JSON.parse(text)
  } catch {
    throw new ApiError('invalid_json', `The request body is not valid JSON at ${jsonFaultPosition(text)}.`)
  }
}

/**
 * Reads the value of the operation's envelope (A2.4); undefined if an optional value is missing.
 * @throws ApiError 400
 */
export function readBody({ body: contract }: Operation, body: Buffer, contentType: string | undefined): unknown {
  if (!contract) return undefined
  const { envelope, shape = 'object', optional = false } = contract
  if (body.length === 0 && optional) return undefined
  if (contentType && contentType.split(';')[0]?.trim().toLowerCase() !== 'application/json') {
    throw new ApiError('bad_request', 'The request body must be JSON with Content-Type application/json.')
  }
  if (body.length === 0 && envelope !== null)
    throw new ApiError('bad_request', `The request body must be an object with the key ${envelope}.`)
  const document = body.length === 0 ? undefined : parse(body)
  if (!isObject(document)) throw new ApiError('bad_request', 'The request body must be a JSON object.')
  if (envelope === null) return document
  if (tooManyKeys(document) !== null)
    throw new ApiError('bad_request', `The request body may have at most ${maxKeys} keys.`)
  if (!Object.hasOwn(document, envelope)) {
    if (optional && Object.keys(document).length === 0) return undefined
    throw new ApiError('bad_request', `The request body must have the key ${envelope}.`)
  }
  const value = document[envelope]
  if (shape === 'list' ? !Array.isArray(value) : !isObject(value)) {
    throw new ApiError('bad_request', `${envelope} must be ${shape === 'list' ? 'a list' : 'an object'}.`)
  }
  return value
}
