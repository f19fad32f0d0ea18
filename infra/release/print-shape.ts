import { deployShape } from './deploy-shape.ts'
import { shapeText } from './shape-text.ts'

process.stdout.write(shapeText(deployShape('cdk.out')))
