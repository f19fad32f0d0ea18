import { EndedSecrets } from './ended-secrets.ts'

export type GatewayToken = {
  /** Id of the token. Null until a response contains it, because creating a gateway returns only the token's secret. */
  id: string | null
  secret: string
  site: string
  /** Gateway that the token belongs to; null for a site token. */
  gateway: string | null
  used: boolean
  /** Time of the rotation in microseconds; null if the token has not been rotated. */
  rotatedAt: number | null
}

const graceMicros = 4 * 3_600_000_000

/** Returns the latest time in microseconds at which a rotated token expires (A22). Infinite for other tokens. */
export const rotationEnd = ({ rotatedAt }: GatewayToken): number =>
  rotatedAt === null ? Number.POSITIVE_INFINITY : rotatedAt + graceMicros

/** Models the valid tokens of gateways and sites, and their rotation according to the table in A22. */
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

  /** Marks a token as used. Its first use revokes the rotated token that it replaces. */
  use(token: GatewayToken): void {
    if (token.gateway === null || token.used) return
    token.used = true
    this.end((other) => other.gateway === token.gateway && other !== token && other.rotatedAt !== null)
  }

  /** Rotates the active token if it has been used; otherwise, revokes it. */
  rotate(gatewayId: string, at: number): void {
    const active = this.activeOf(gatewayId)
    if (active?.used) active.rotatedAt = at
    else this.end((token) => token === active)
  }
}
