/* Written by coefficients.py. POLYNOMIAL_name(t) evaluates by Horner's rule. */

/* degree 5, error 1.4e-9 */
#define POLYNOMIAL_EXP_F(t) (((((0x1.a124e3f154d32p-13 * (t) + 0x1.6d431504c53d3p-10) * (t) + 0x1.1110e0f726534p-7) * (t) + 0x1.5554e9114ecf9p-5) * (t) + 0x1.5555555a78232p-3) * (t) + 0x1.0000000b8f62bp-1)

/* degree 10, error 2.59e-18 */
#define POLYNOMIAL_EXP(t) ((((((((((0x1.1f72fc730b4ffp-29 * (t) + 0x1.af4ddd84882fep-26) * (t) + 0x1.27e4db67b4303p-22) * (t) + 0x1.71de02375656cp-19) * (t) + 0x1.a01a01a6d7808p-16) * (t) + 0x1.a01a01abe62ddp-13) * (t) + 0x1.6c16c16c162d6p-10) * (t) + 0x1.11111111100dfp-7) * (t) + 0x1.5555555555556p-5) * (t) + 0x1.5555555555557p-3) * (t) + 0x1.0000000000000p-1)

/* degree 4, error 7.27e-12 */
#define POLYNOMIAL_LOG_F(t) ((((0x1.8c8c11e54d389p-3 * (t) + 0x1.c67ada017cf97p-3) * (t) + 0x1.249323e4d7fc7p-2) * (t) + 0x1.999998cafbf2ap-2) * (t) + 0x1.5555555564e96p-1)

/* degree 7, error 3.7e-17 */
#define POLYNOMIAL_LOG(t) (((((((0x1.0c039c49989c6p-3 * (t) + 0x1.0fbe95d716020p-3) * (t) + 0x1.3b1c355a8f7a2p-3) * (t) + 0x1.745cf9048dd95p-3) * (t) + 0x1.c71c720159177p-3) * (t) + 0x1.2492492476cccp-2) * (t) + 0x1.9999999999a38p-2) * (t) + 0x1.5555555555555p-1)

/* degree 7, error 2.58e-17 */
#define POLYNOMIAL_LOG_POW(t) (((((((0x1.e02d197c00c78p-4 * (t) + 0x1.df7ce9a6bcccbp-4) * (t) + 0x1.1118c74823a2ep-3) * (t) + 0x1.3b1395d4f9e5fp-3) * (t) + 0x1.745d177a8f200p-3) * (t) + 0x1.c71c71c6eaa8dp-3) * (t) + 0x1.2492492492521p-2) * (t) + 0x1.999999999999ap-2)

/* degree 3, error 2.81e-11 */
#define POLYNOMIAL_SIN_F(t) (((0x1.6dbe0838a06e9p-19 * (t) + -0x1.a013a793b98cep-13) * (t) + 0x1.11110def2e1c9p-7) * (t) + -0x1.555555545e0acp-3)

/* degree 6, error 9.25e-18 */
#define POLYNOMIAL_SIN(t) ((((((-0x1.ab17d404de5b3p-41 * (t) + 0x1.61217f0b800d5p-33) * (t) + -0x1.ae645412c560cp-26) * (t) + 0x1.71de3a546095bp-19) * (t) + -0x1.a01a01a019938p-13) * (t) + 0x1.1111111111110p-7) * (t) + -0x1.5555555555555p-3)

/* degree 3, error 2.35e-12 */
#define POLYNOMIAL_COS_F(t) (((-0x1.25244e23e6e3ap-22 * (t) + 0x1.a015c47d920acp-16) * (t) + -0x1.6c16bf54e7232p-10) * (t) + 0x1.5555555502cf4p-5)

/* degree 6, error 2.31e-18 */
#define POLYNOMIAL_COS(t) ((((((0x1.ab785b00b4646p-45 * (t) + -0x1.9394ba0cd6ed5p-37) * (t) + 0x1.1eed8deb97a97p-29) * (t) + -0x1.27e4fb7712d65p-22) * (t) + 0x1.a01a01a019d0ap-16) * (t) + -0x1.6c16c16c16c16p-10) * (t) + 0x1.5555555555555p-5)

/* degree 6, error 1.89e-11 */
#define POLYNOMIAL_ATAN_F(t) ((((((-0x1.4b3891ff382b2p-5 * (t) + 0x1.24434e877a5ddp-4) * (t) + -0x1.71d3c10805470p-4) * (t) + 0x1.c6f68737bd590p-4) * (t) + -0x1.2491c08b2dc95p-3) * (t) + 0x1.99999825954bep-3) * (t) + -0x1.5555555502188p-2)

/* degree 11, error 1.85e-17 */
#define POLYNOMIAL_ATAN(t) (((((((((((0x1.0ad36a455cafbp-6 * (t) + -0x1.1b33b923aa954p-5) * (t) + 0x1.74ddd408bb4c1p-5) * (t) + -0x1.ac7a938b69c93p-5) * (t) + 0x1.e19a13b9fc6dfp-5) * (t) + -0x1.110e880a7a521p-4) * (t) + 0x1.3b1392d9e785cp-4) * (t) + -0x1.745d165df3f95p-4) * (t) + 0x1.c71c71c304b68p-4) * (t) + -0x1.249249248d7eep-3) * (t) + 0x1.9999999999953p-3) * (t) + -0x1.5555555555555p-2)

/* degree 13, error 9.52e-18 */
#define POLYNOMIAL_ASIN(t) (((((((((((((0x1.e529c6fce9bb4p-6 * (t) + -0x1.3b416bb7d9257p-6) * (t) + 0x1.406192d124629p-6) * (t) + 0x1.8f193743418ffp-9) * (t) + 0x1.31622469ce5adp-7) * (t) + 0x1.3b49de7121487p-7) * (t) + 0x1.7b027ee1dd585p-7) * (t) + 0x1.c990ad3d8fdcap-7) * (t) + 0x1.1c4efce23019fp-6) * (t) + 0x1.6e8ba123e494cp-6) * (t) + 0x1.f1c71c7a52ba3p-6) * (t) + 0x1.6db6db6dac1e0p-5) * (t) + 0x1.3333333333388p-4) * (t) + 0x1.5555555555555p-3)

/* degree 8, error 8.36e-13 */
#define POLYNOMIAL_ERF_F(t) ((((((((0x1.1c41ab6eec487p-20 * (t) + -0x1.d2b8522d6f7cbp-17) * (t) + 0x1.f57e9cee106c1p-14) * (t) + -0x1.bfe158a7be278p-11) * (t) + 0x1.56588b32275a7p-8) * (t) + -0x1.b82cbae7577a7p-6) * (t) + 0x1.ce2f20a7415c6p-4) * (t) + -0x1.812746ade3c08p-2) * (t) + 0x1.20dd750428cb9p+0)

/* degree 16, error 2.48e-17 */
#define POLYNOMIAL_ERF(t) ((((((((((((((((0x1.27004fc3eb71fp-50 * (t) + -0x1.ce349ffbeee2fp-46) * (t) + 0x1.f1040f7034f61p-42) * (t) + -0x1.d7be16814e9efp-38) * (t) + 0x1.9e6185e93545bp-34) * (t) + -0x1.51d69f1d77078p-30) * (t) + 0x1.fcc568dbc98f8p-27) * (t) + -0x1.5f742e81b0304p-23) * (t) + 0x1.b9e6c9d9947e4p-20) * (t) + -0x1.f4d25c3df5bfap-17) * (t) + 0x1.f9a326f9b81acp-14) * (t) + -0x1.c02db40040b65p-11) * (t) + 0x1.565bcd0e6a53fp-8) * (t) + -0x1.b82ce31288b51p-6) * (t) + 0x1.ce2f21a042be2p-4) * (t) + -0x1.812746b0379e7p-2) * (t) + 0x1.20dd750429b6dp+0)

/* degree 11, error 2.65e-9 */
#define POLYNOMIAL_ERFCX_F(t) (((((((((((-0x1.0a4121fa840f8p-12 * (t) + -0x1.0e8d9aa036577p-11) * (t) + 0x1.4d23df1f67fe8p-8) * (t) + -0x1.0be775cfc06a7p-6) * (t) + 0x1.304b13be7067cp-5) * (t) + -0x1.0f805b039c734p-4) * (t) + 0x1.7ff2c5827a0afp-4) * (t) + -0x1.9de1aa4cc563dp-4) * (t) + 0x1.16ec888c6aa44p-4) * (t) + 0x1.f7f87a2286d63p-7) * (t) + -0x1.1df1abde8f997p-3) * (t) + 0x1.3ba59163ccc7fp+0)

/* degree 24, error 4.98e-17 */
#define POLYNOMIAL_ERFCX(t) ((((((((((((((((((((((((-0x1.6d274501184b0p-32 * (t) + 0x1.7a2118b1ff936p-30) * (t) + 0x1.e71e03f98d911p-29) * (t) + -0x1.e908c9c2a1a03p-27) * (t) + -0x1.703f9db324477p-26) * (t) + 0x1.d801e20deaa97p-24) * (t) + 0x1.519dc1ca036edp-24) * (t) + -0x1.baebd2a350359p-21) * (t) + 0x1.3882c9249bf24p-22) * (t) + 0x1.7f25fab6d64b8p-18) * (t) + -0x1.7881e1b6cf4f1p-17) * (t) + -0x1.995908b23ed69p-16) * (t) + 0x1.3be033d992e2dp-13) * (t) + -0x1.a1df2700afd1cp-13) * (t) + -0x1.8d4a99978ed3cp-11) * (t) + 0x1.49c67287cd6bfp-8) * (t) + -0x1.09623885458bep-6) * (t) + 0x1.3079edf67eac9p-5) * (t) + -0x1.0fb06dfe48b83p-4) * (t) + 0x1.7fee004e12699p-4) * (t) + -0x1.9ddb23c3e9102p-4) * (t) + 0x1.16ecefcfa538fp-4) * (t) + 0x1.f7f5df66fd7bdp-7) * (t) + -0x1.1df1ad154a28ep-3) * (t) + 0x1.3ba5916e9fd7fp+0)

/* degree 8, error 3.16e-10 */
#define POLYNOMIAL_GAMMA_F(t) ((((((((0x1.9e7d92df8b9e8p-11 * (t) + 0x1.a53260038b4eep-10) * (t) + 0x1.545032fd48f8ap-7) * (t) + 0x1.d0aafd9119648p-6) * (t) + 0x1.c139395d02c4ep-4) * (t) + 0x1.03f6d13a57e5fp-2) * (t) + 0x1.4f224cfe0c355p-1) * (t) + 0x1.de9585f62b550p-1) * (t) + 0x1.544fa6d47b390p+0)

/* degree 16, error 3.15e-17 */
#define POLYNOMIAL_GAMMA(t) ((((((((((((((((0x1.b5cafaae0b822p-23 * (t) + -0x1.0fad5e05ca86fp-21) * (t) + 0x1.1e9086a696877p-20) * (t) + -0x1.52bbc5bdc9e11p-19) * (t) + 0x1.e70811ccd5090p-18) * (t) + -0x1.add74a3bf8f4fp-17) * (t) + 0x1.013c10caf30edp-14) * (t) + 0x1.089b15fa407d3p-18) * (t) + 0x1.8b8fcedc96c36p-11) * (t) + 0x1.a55ed091982b5p-10) * (t) + 0x1.5489cc6ae7158p-7) * (t) + 0x1.d0a9bc4a28658p-6) * (t) + 0x1.c138b89493350p-4) * (t) + 0x1.03f6d2fa4f09ep-2) * (t) + 0x1.4f224d4b7e01bp-1) * (t) + 0x1.de9585f1a7096p-1) * (t) + 0x1.544fa6d47b390p+0)

/* degree 14, error 2.52e-10 */
#define POLYNOMIAL_LOG_GAMMA_F(t) ((((((((((((((0x1.31d4d3af64012p-18 * (t) + -0x1.434d27f46ff69p-17) * (t) + 0x1.c21457dd14981p-19) * (t) + -0x1.f1e80f1bf5b2ap-18) * (t) + 0x1.61f795c9425b7p-15) * (t) + -0x1.800c05747c68ap-14) * (t) + 0x1.7b39ee45f377cp-13) * (t) + -0x1.a59d99078b927p-12) * (t) + 0x1.e01db4deb7692p-11) * (t) + -0x1.146b5ad6befb0p-9) * (t) + 0x1.4796b23dee9b5p-8) * (t) + -0x1.95cd847d49273p-7) * (t) + 0x1.0e0c9e74028edp-5) * (t) + -0x1.9ae65126a93fbp-4) * (t) + 0x1.b0ee6072093cep-2)

/* degree 26, error 2.3e-17 */
#define POLYNOMIAL_LOG_GAMMA(t) ((((((((((((((((((((((((((0x1.95a1a3aabb697p-30 * (t) + -0x1.a283564541250p-29) * (t) + -0x1.f88206a50c152p-29) * (t) + 0x1.034ff4e678816p-27) * (t) + 0x1.ed386b527880ap-27) * (t) + -0x1.fe0f43107e644p-26) * (t) + 0x1.349389c68733dp-27) * (t) + -0x1.491818361fe5dp-26) * (t) + 0x1.b15da15f091bfp-24) * (t) + -0x1.c6697b4306415p-23) * (t) + 0x1.aba9aae2609bep-22) * (t) + -0x1.c3ee6fd3f4078p-21) * (t) + 0x1.e5ebc243914acp-20) * (t) + -0x1.027a77320de46p-18) * (t) + 0x1.13df5c29f78e8p-17) * (t) + -0x1.284b7b7570031p-16) * (t) + 0x1.402f44c69de32p-15) * (t) + -0x1.5c86ebc7a274cp-14) * (t) + 0x1.7ed732472e58fp-13) * (t) + -0x1.a96a3ea2d22dbp-12) * (t) + 0x1.dfebcf93da4a6p-11) * (t) + -0x1.145121fc5cf96p-9) * (t) + 0x1.47974853a554bp-8) * (t) + -0x1.95ce223a97d37p-7) * (t) + 0x1.0e0c9df293546p-5) * (t) + -0x1.9ae6509ea10b4p-4) * (t) + 0x1.b0ee6072093cep-2)

/* degree 5, error 1.93e-12 */
#define POLYNOMIAL_STIRLING_F(t) (((((-0x1.af650a075aa9cp-11 * (t) + 0x1.811379302e6cap-11) * (t) + -0x1.352dded32d44cp-11) * (t) + 0x1.a007c3befa889p-11) * (t) + -0x1.6c16b69a41ba7p-9) * (t) + 0x1.555555553351bp-4)

/* degree 11, error 4.63e-18 */
#define POLYNOMIAL_STIRLING(t) (((((((((((-0x1.42593c7e1f9dbp+0 * (t) + 0x1.0953f9f7b3684p+0) * (t) + -0x1.a6f12de4e5280p-2) * (t) + 0x1.cbf7990eae6c5p-4) * (t) + -0x1.a8a27132db91bp-6) * (t) + 0x1.9aabfe19aa4b2p-8) * (t) + -0x1.f5a098f66523bp-10) * (t) + 0x1.b94839823eb39p-11) * (t) + -0x1.3813661cb3f7ep-11) * (t) + 0x1.a01a01781724cp-11) * (t) + -0x1.6c16c16c10e31p-9) * (t) + 0x1.5555555555555p-4)

#define TWO_OVER_PI 0x0000000000000000ul, 0xa2f9836e4e441529ul, 0xfc2757d1f534ddc0ul, 0xdb6295993c439041ul, 0xfe5163abdebbc561ul, 0xb7246e3a424dd2e0ul, 0x06492eea09d1921cul, 0xfe1deb1cb129a73eul, 0xe88235f52ebb4484ul, 0xe99c7026b45f7e41ul, 0x3991d639835339f4ul, 0x9c845f8bbdf9283bul, 0x1ff897ffde05980ful, 0xef2f118b5a0a6d1ful, 0x6d367ecf27cb09b7ul, 0x4f463f669e5fea2dul, 0x7527bac7ebe5f17bul, 0x3d0739f78a5292eaul, 0x6bfb5fb11f8d5d08ul, 0x56033046fc7b6babul, 0xf0cfbc209af4361dul

#define PI_2_1 0x1.921fb54400000p+0
#define PI_2_2 0x1.0b4611a600000p-34
#define PI_2_3 0x1.3198a2e037073p-69
#define LN2_1 0x1.62e42fefa2000p-1
#define LN2_2 0x1.9ef35793c7673p-41
#define LOG10_2_1 0x1.34413509f6000p-2
#define LOG10_2_2 0x1.9fef311f12b36p-42
#define LOG2_10_1 0x1.a934f0979a000p+1
#define LOG2_10_2 0x1.b8afe492bf6ffp-42
#define TWO_THIRDS_1 0x1.5555555555555p-1
#define TWO_THIRDS_2 0x1.5555555555555p-55
#define PI_HALF_1 0x1.921fb54442d18p+0
#define PI_HALF_2 0x1.1a62633145c07p-54
#define HALF_LOG_TAU_1 0x1.d67f1c864beb4p-1
#define HALF_LOG_TAU_2 0x1.4d252f2400510p-54
