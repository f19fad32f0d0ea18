import { EndedSecrets } from './ended-secrets.ts'

export type GatewayToken = {
  /** Null until something tells it: a new gateway comes with the secret alone. */
  id: string | null
  secret: string
  site: string
  /** Null for a token of the site. */
  gateway: string | null
  /** Whether a session was started with it. */
  used: boolean
  /** In microseconds. */
  rotatedAt: number | null
}

const graceMicros = 4 * 3_600_000_000

/** The instant at which a rotated token ends if nothing ends it before (A22). */
export const rotationEnd = ({ rotatedAt }: GatewayToken): number =>
  rotatedAt === null ? Number.POSITIVE_INFINITY : rotatedAt + graceMicros

/** Which tokens of gateways and sites there are, by the table of A22. */
export class GatewayTokenModel {
  /** By their secrets. */
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

  /** A session is started: what this token replaced ends with its first use. */
  use(token: GatewayToken): void {
    if (token.gateway === null || token.used) return
    token.used = true
    this.end((other) => other.gateway === token.gateway && other !== token && other.rotatedAt !== null)
  }

  /** A used token is rotated out, an unused one replaced. */
  rotate(gatewayId: string, at: number): void {
    const active = this.activeOf(gatewayId)
    if (active?.used) active.rotatedAt = at
    else this.end((token) => token === active)
  }
}
