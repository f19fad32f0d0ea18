import type { Json } from './schemas.ts'

export const headerRef = (name: string): Json => ({ $ref: `#/components/headers/${name}` })
