import { readFileSync } from 'node:fs'

const { version: packageVersion } = JSON.parse(readFileSync('package.json', 'utf8'))

/** True from v1.0.0 on. Each version must then read the stored forms of version N-1 (docs/evolution.md). */
export const isReleased = (version: string = packageVersion): boolean => Number(version.split('.')[0]) >= 1
