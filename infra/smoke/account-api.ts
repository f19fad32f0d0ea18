import { randomUUID } from 'node:crypto'
import { Service } from '../../docs/examples/service.ts'

export type Made = { id: string; name?: string }
type Page<T> = { data: T[] }

/** The service as a caller with this token uses it; anonymous without one. */
export const callerOf = (baseUrl: string, token?: string): Service => new Service(baseUrl, token, 'smoke/1.0')

/** The account API. A creation has an `Idempotency-Key`, so that a retry after a lost answer makes nothing twice. */
export class AccountApi {
  readonly #service: Service

  constructor(baseUrl: string, token: string) {
    this.#service = callerOf(baseUrl, token)
  }

  get = <T>(path: string): Promise<T> => this.#service.ask('GET', path)

  /** The first page of a list. */
  list = async <T>(path: string, query: Record<string, string>): Promise<T[]> =>
    (await this.#service.send<Page<T>>('GET', `${path}?${new URLSearchParams(query)}`)).data

  create = <T = Made>(path: string, body: object): Promise<T> =>
    this.#service.ask('POST', path, body, { 'idempotency-key': randomUUID() })

  change = (path: string, body: object): Promise<unknown> => this.#service.ask('PATCH', path, body)

  delete = (path: string): Promise<unknown> => this.#service.ask('DELETE', path)
}
