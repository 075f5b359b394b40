import type { Variant } from '../../../shaders/link.ts';
import chooseShader from '../../../shaders/wave/choose.wgsl';
import codeShader from '../../../shaders/wave/code.wgsl';
import codingShader from '../../../shaders/wave/coding.wgsl';
import copyShader from '../../../shaders/wave/copy.wgsl';
import finishShader from '../../../shaders/wave/finish.wgsl';
import fitShader from '../../../shaders/wave/fit.wgsl';
import fitBytesShader from '../../../shaders/wave/fit-bytes.wgsl';
import measureShader from '../../../shaders/wave/measure.wgsl';
import predictShader from '../../../shaders/wave/predict.wgsl';
import sampleShader from '../../../shaders/wave/sample.wgsl';
import solveShader from '../../../shaders/wave/solve.wgsl';
import spreadShader from '../../../shaders/wave/spread.wgsl';
import surveyShader from '../../../shaders/wave/survey.wgsl';
import symbolsShader from '../../../shaders/wave/symbols.wgsl';
import type { CodecElementBytes } from '../../codec/codec.ts';
import type { KernelDescriptor } from '../../gpu/kernel.ts';

/** The kernels of the encoder. */
export function encoders(elementBytes: CodecElementBytes) {
  // Kernels for elements of planes. 4-byte elements are planes of 2-byte elements.
  const planeBytes = Math.min(2, elementBytes);
  const describe = (
    name: string,
    shader: ShaderFile,
    element_bytes?: number,
    constants?: KernelDescriptor['constants'],
    variant: Variant = {},
  ): KernelDescriptor => {
    return { label: `wave.${name}`, shader, variant, constants: { ...(element_bytes && { element_bytes }), ...constants } };
  };
  const fit = elementBytes === 1 ? fitBytesShader : fitShader;
  return {
    sample: describe('sample', sampleShader, elementBytes),
    choose: describe('choose', chooseShader, planeBytes),
    spread: describe('spread', spreadShader, elementBytes),
    fitByGradients: describe('fit', fit, planeBytes, {}, { by_residuals: 0 }),
    fitByResiduals: describe('fit', fit, planeBytes, {}, { by_residuals: 1 }),
    solve: describe('solve', solveShader),
    predictForFit: describe('predict', predictShader, planeBytes, { for_fit: 1 }),
    predict: describe('predict', predictShader, planeBytes, { for_fit: 0 }),
    survey: describe('survey', surveyShader, planeBytes),
    coding: describe('coding', codingShader),
    symbols: describe('symbols', symbolsShader, planeBytes, {}, { table_binding: 5 }),
    code: describe('code', codeShader, undefined, {}, { table_binding: 4 }),
    finish: describe('finish', finishShader, planeBytes),
    measure: describe('measure', measureShader),
    copy: describe('copy', copyShader, elementBytes),
  };
}
