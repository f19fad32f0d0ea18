import { createHash, createHmac, createSecretKey, type Hash, type Hmac, type KeyObject } from 'node:crypto'
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { SignatureV4, type SignatureV4Init } from '@smithy/signature-v4'
import type { Checksum, HttpRequest, SourceData } from '@smithy/types'
import { awsClient } from '../core/aws/clients.ts'
import { env } from '../core/env.ts'

/**
 * Removes the `__proto__` accessor, like `node --disable-proto=delete`. With the accessor, a stored key `__proto__` would set the prototype
 * of the map that the SDK builds. Writing such a key would break the request.
 */
Reflect.deleteProperty(Object.prototype, '__proto__')

/** Caches signing keys as `KeyObject`, because converting the bytes costs six times as much as a signature. */
const keys = new WeakMap<object, KeyObject>()

function keyOf(secret: SourceData): KeyObject | string {
  if (typeof secret === 'string') return secret
  const key = keys.get(secret) ?? createSecretKey(secret as Uint8Array)
  keys.set(secret, key)
  return key
}

class SigningHash implements Checksum {
  private readonly hash: Hash | Hmac

  constructor(secret?: SourceData) {
    this.hash = secret ? createHmac('sha256', keyOf(secret)) : createHash('sha256')
  }

  update(data: Uint8Array): void {
    this.hash.update(data)
  }

  async digest(): Promise<Uint8Array> {
    return this.hash.digest()
  }

  reset(): void {
    throw new Error('A hash can be used only once.')
  }
}

/**
 * Document client with one signer, because the SDK would create a signer per request. Its middleware is not cached, because commands carry
 * their own.
 */
class TableClient extends DynamoDBDocumentClient {
  constructor(settings: DynamoDBClientConfig) {
    const { credentials, region } = settings as Pick<SignatureV4Init, 'credentials' | 'region'>
    const signer = new SignatureV4({ service: 'dynamodb', credentials, region, sha256: SigningHash })
    const client = new DynamoDBClient({ ...settings, signer, cacheMiddleware: false })
    // Sets a fixed user agent, because the SDK would build and sign a long one for each request.
    client.middlewareStack.add(
      (next) => (args) => {
        Object.assign((args.request as HttpRequest).headers, { 'user-agent': 'aws-sdk-js/3' })
        return next(args)
      },
      { step: 'build', priority: 'low', name: 'getUserAgentMiddleware', override: true },
    )
    super(client, { marshallOptions: { removeUndefinedValues: true } })
  }
}

export const table = (): DynamoDBDocumentClient => awsClient(TableClient)

export const tableName = (): string => env.tableName
