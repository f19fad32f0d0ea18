import { EndedSecrets } from './ended-secrets.ts'

export type GatewayToken = {
  /** Null until a response contains the id, because creating a gateway returns only the secret of its token. */
  id: string | null
  secret: string
  site: string
  /** Gateway that the token belongs to; null for a site token. */
  gateway: string | null
  used: boolean
  /** Time of the rotation in microseconds; null if the token is not rotated. */
  rotatedAt: number | null
}

const graceMicros = 4 * 3_600_000_000

/** Latest time in microseconds at which a rotated token expires (A22). Infinite for other tokens. */
export const rotationEnd = ({ rotatedAt }: GatewayToken): number =>
  rotatedAt === null ? Number.POSITIVE_INFINITY : rotatedAt + graceMicros

/** Valid tokens of gateways and sites, rotated according to the table of A22. */
export class GatewayTokenModel {
  /** Tokens by secret. */
  readonly all = new Map<string, GatewayToken>()
  readonly endedSecrets = new EndedSecrets()

  add(token: Pick<GatewayToken, 'id' | 'secret' | 'site' | 'gateway'>): GatewayToken {
    const added = { ...token, used: false, rotatedAt: null }
    this.all.set(token.secret, added)
    return added
  }

  end(which: (token: GatewayToken) => boolean): void {
    for (const token of [...this.all.values()].filter(which)) {
      this.all.delete(token.secret)
      this.endedSecrets.add(token.secret)
    }
  }

  ofGateway(id: string): GatewayToken[] {
    return [...this.all.values()].filter(({ gateway }) => gateway === id)
  }

  ofSite(id: string): GatewayToken[] {
    return [...this.all.values()].filter(({ site, gateway }) => gateway === null && site === id)
  }

  activeOf(gatewayId: string): GatewayToken | undefined {
    return this.ofGateway(gatewayId).find(({ rotatedAt }) => rotatedAt === null)
  }

  /** Marks a token as used. The first use of a token ends the rotated token that it replaces. */
  use(token: GatewayToken): void {
    if (token.gateway === null || token.used) return
    token.used = true
    this.end((other) => other.gateway === token.gateway && other !== token && other.rotatedAt !== null)
  }

  /** Rotates the active token if it was used, and ends it if it was never used. */
  rotate(gatewayId: string, at: number): void {
    const active = this.activeOf(gatewayId)
    if (active?.used) active.rotatedAt = at
    else this.end((token) => token === active)
  }
}
