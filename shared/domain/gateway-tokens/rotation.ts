import { microsOf } from '../../core/clock.ts'
import type { GatewayTokenRow } from './gateway-token.ts'

/** How long a rotated gateway token stays valid unless its replacement is used before (A22): 4 hours. */
export const rotationGraceMicros = 4 * 3_600_000_000

/** True once the grace period of a rotated token is over; tested each time it is presented. */
export const rotationEnded = ({ rotated_at }: Pick<GatewayTokenRow, 'rotated_at'>, now: number): boolean =>
  rotated_at !== null && microsOf(rotated_at) + rotationGraceMicros <= now

/** The tokens of a gateway that a rotation ends, and the one that it leaves valid for the grace period (A22). */
export type RotationPlan = { end: GatewayTokenRow[]; rotateOut: GatewayTokenRow | null }

/**
 * A used token is rotated out and a token rotated before ends; an unused one is replaced, and a token that was already
 * rotated out keeps its deadline.
 */
export function planRotation(
  tokens: GatewayTokenRow[],
  isUsed: (token: GatewayTokenRow) => boolean,
  now: number,
): RotationPlan {
  const active = activeToken(tokens)
  const rotated = tokens.filter((token) => token.rotated_at !== null)
  if (active && isUsed(active)) return { end: rotated, rotateOut: active }
  return {
    end: [...(active ? [active] : []), ...rotated.filter((token) => rotationEnded(token, now))],
    rotateOut: null,
  }
}

export const activeToken = (tokens: GatewayTokenRow[]): GatewayTokenRow | null =>
  tokens.find((token) => token.rotated_at === null) ?? null
