import type { OriginSecret } from '../../core/secrets/origin-secret.ts'

/** What the secret is after a rotation. The first one has no next word to change to, and only prepares one. */
export const rotated = ({ current, next }: OriginSecret, fresh: string): OriginSecret =>
  next === undefined ? { current, next: fresh } : { previous: current, current: next, next: fresh }
