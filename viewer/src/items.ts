// Many things in few draw calls. The pose and the colour of each thing stand in one texture; a corner knows the number of
// its thing and reads them. Pieces with few corners are copied into one large mesh: instanced drawing costs a software
// renderer as much for each piece as a draw call of its own (24 µs in SwiftShader). Pieces that are too large to be copied
// are drawn as instances. Balls of which there are many are triangles that face the eye, and each pixel finds where its ray
// meets the ball: three corners, one triangle to set up, and round from near and far.

import * as THREE from "three";

const ACROSS = 512; // things in one row of the texture
const COPIED = 3_000_000; // corners that are copied at the most

// Texels of a thing: its quaternion; its position and its colour (the square root of each part in 8 bits); its scale.
const READ_THING = `
attribute float thing;
uniform highp sampler2D things;
#ifdef INSTANCES
    attribute vec4 rowX, rowY, rowZ;
#endif
vec4 texelOf(int k) { int i = int(thing); return texelFetch(things, ivec2(TEXELS * (i % ${ACROSS}) + k, i / ${ACROSS}), 0); }
vec3 turn(vec4 q, vec3 v) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v); }
vec3 tintOf(float packed) {
    vec3 t = vec3(floor(packed / 65536.0), floor(mod(packed, 65536.0) / 256.0), mod(packed, 256.0)) / 255.0;
    return t * t;
}`;

const POSE = "vec4 q = texelOf(0), place = texelOf(1);";

const NORMAL = `
#ifdef INSTANCES
    mat3 own = mat3(rowX.xyz, rowY.xyz, rowZ.xyz); // rows: its product from the left is the transposed
    objectNormal = (objectNormal / vec3(dot(own[0], own[0]), dot(own[1], own[1]), dot(own[2], own[2]))) * own;
#endif
#if TEXELS == 3
    objectNormal /= texelOf(2).xyz;
#endif
vec3 transformedNormal = normalMatrix * turn(q, objectNormal);`;

const POSITION = `
vec3 transformed = position;
#ifdef INSTANCES
    transformed = vec3(dot(rowX, vec4(position, 1.0)), dot(rowY, vec4(position, 1.0)), dot(rowZ, vec4(position, 1.0)));
#endif
#if TEXELS == 3
    transformed *= texelOf(2).xyz;
#endif
transformed = turn(q, transformed) + place.xyz;`;

// The triangle of a ball, turned to the eye (or the sun) and so large that the ball is seen through it. Its corners all lie
// at the centre of the ball; the normal tells which of the three it is, and the radius.
const TRIANGLE = `
vec3 centre = turn(q, position) + place.xyz;
float radius = normal.z;
#ifdef SEEN_BY_SUN
    vec3 away = vec3(viewMatrix[0][2], viewMatrix[1][2], viewMatrix[2][2]);
    float widen = 1.0;
#else
    vec3 away = cameraPosition - centre;
    float widen = inversesqrt(max(1.0 - radius * radius / dot(away, away), 0.01));
    away = normalize(away);
    vBall = vec4((viewMatrix * vec4(centre, 1.0)).xyz, radius);
#endif
vec3 side = normalize(abs(away.z) < 0.9 ? vec3(-away.y, away.x, 0.0) : vec3(0.0, -away.z, away.y));
vec3 transformed = centre + widen * radius * (normal.x * side + normal.y * cross(away, side));`;

const MEET_BALL = `
vec3 ray = normalize(-vViewPosition);
float along = dot(ray, vBall.xyz);
float inside = along * along - dot(vBall.xyz, vBall.xyz) + vBall.w * vBall.w;
if (inside < 0.0) discard;
vec3 hit = (along - sqrt(inside)) * ray;
vec3 normal = (hit - vBall.xyz) / vBall.w;
vec3 nonPerturbedNormal = normal;
float faceDirection = 1.0;`;

// Any depth within the ball hides what is behind it and nothing before it, as long as nothing is inside of it. A body of one ball needs
// no more than its triangle has, and what lies behind is not calculated; balls that others reach into need the depth of each pixel.
const EXACT_DEPTH = `
vec2 zw = (projectionMatrix * vec4(hit, 1.0)).zw;
gl_FragDepth = 0.5 * zw.x / zw.y + 0.5;`;

// The triangle lies across its ball: to ask for shadow it is moved towards the sun, out of its own.
const TRIANGLE_SHADOW = `
#include <shadowmap_vertex>
#if defined(USE_SHADOWMAP) && NUM_DIR_LIGHT_SHADOWS > 0
    vDirectionalShadowCoord[0].z -= 1.1 * sunDepth * radius;
#endif`;

// sRGB of a linear colour without powers: within 1/500 of the curve above 0.002. Three powers a pixel are what a software
// renderer spends most of its time with.
const QUICK_SRGB = `
vec3 root = sqrt(max(gl_FragColor.rgb, 0.0)), root4 = sqrt(root), root8 = sqrt(root4);
gl_FragColor.rgb = 0.6620027 * root + 0.6841221 * root4 - 0.3235836 * root8 - 0.0225411 * gl_FragColor.rgb;`;

type Kind = "copied" | "instances" | "ball" | "alone"; // ball: with other shapes on its body; alone: without
type Shader = { vertexShader: string; fragmentShader: string; uniforms: Record<string, THREE.IUniform> };
type Uniforms = { things: THREE.IUniform; sunDepth: THREE.IUniform };

function change(text: string, changes: [string, string][]): string {
    return changes.reduce((t, [chunk, by]) => t.replace(`#include <${chunk}>`, by), text);
}

function changeDrawn(shader: Shader, kind: Kind): void {
    const ball = kind === "ball" || kind === "alone";
    shader.vertexShader = change(shader.vertexShader, [
        ["common", `#include <common>\n${READ_THING}\nuniform float sunDepth;\nvarying vec3 vTint;${ball ? "varying vec4 vBall;" : ""}`],
        ["uv_vertex", POSE], ["defaultnormal_vertex", NORMAL], ["begin_vertex", `${ball ? TRIANGLE : POSITION}\nvTint = tintOf(place.w);`], ["shadowmap_vertex", ball ? TRIANGLE_SHADOW : "#include <shadowmap_vertex>"]]);
    shader.fragmentShader = change(shader.fragmentShader, [["color_pars_fragment", "varying vec3 vTint;"], ["color_fragment", "diffuseColor.rgb *= vTint;"],
        ...(shader.fragmentShader.includes("LAMBERT") ? ([["colorspace_fragment", QUICK_SRGB]] as [string, string][]) : [])]);
    if (ball) shader.fragmentShader = change(shader.fragmentShader, [["common", "#include <common>\nuniform mat4 projectionMatrix;\nvarying vec4 vBall;"], ["normal_fragment_begin", kind === "ball" ? MEET_BALL + EXACT_DEPTH : MEET_BALL]]);
}

function changeDepth(shader: Shader, ball: boolean): void {
    const begin = ball ? `vAcross = normal.xy;\n${TRIANGLE}` : POSITION;
    shader.vertexShader = change(shader.vertexShader, [["common", `#include <common>\n#define SEEN_BY_SUN\n${READ_THING}\nvarying vec2 vAcross;`], ["uv_vertex", POSE], ["begin_vertex", begin]]);
    if (ball) shader.fragmentShader = change(shader.fragmentShader, [["common", "#include <common>\nvarying vec2 vAcross;"], ["map_fragment", "if (dot(vAcross, vAcross) > 1.0) discard;"]]);
}

// Makes a material of three.js read poses and colours from the texture.
function readThings(material: THREE.Material & { defines?: Record<string, unknown> }, kind: Kind, texels: number, uniforms: Uniforms): void {
    material.defines = { ...material.defines, TEXELS: texels, ...(kind === "instances" ? { INSTANCES: "" } : {}) };
    material.customProgramCacheKey = () => kind;
    material.onBeforeCompile = (shader: Shader) => {
        Object.assign(shader.uniforms, uniforms);
        if (material instanceof THREE.MeshDepthMaterial) changeDepth(shader, kind === "ball" || kind === "alone");
        else changeDrawn(shader, kind);
    };
}

// ---- Geometry -------------------------------------------------------------------------------------------------------

export interface Piece {
    thing: number;
    local: THREE.Matrix4; // geometry to thing
}

export interface Group {
    geometry: THREE.BufferGeometry;
    pieces: Piece[];
    ball: boolean; // drawn as triangles; the geometry is the unit sphere
    alone?: boolean; // balls that are all of their bodies
}

function cornersOf(group: Group): number {
    return group.pieces.length * group.geometry.getAttribute("position").count;
}

// Corners of all pieces, written one after the other.
class Heap {
    readonly position: Float32Array;
    readonly normal: Float32Array;
    readonly thing: Float32Array;
    readonly index: Uint32Array;
    private corners = 0;
    private indices = 0;
    private readonly p = new THREE.Vector3();
    private readonly m = new THREE.Matrix3();

    constructor(corners: number, indices: number) {
        this.position = new Float32Array(3 * corners);
        this.normal = new Float32Array(3 * corners);
        this.thing = new Float32Array(corners);
        this.index = new Uint32Array(indices);
    }

    copy(geometry: THREE.BufferGeometry, { thing, local }: Piece): void {
        const at = geometry.getAttribute("position"), normal = geometry.getAttribute("normal"), own = geometry.index?.array;
        this.m.getNormalMatrix(local);
        for (let k = 0, most = own?.length ?? at.count; k < most; k++) this.index[this.indices++] = this.corners + (own ? own[k] : k);
        for (let i = 0; i < at.count; i++) {
            this.p.fromBufferAttribute(at, i).applyMatrix4(local).toArray(this.position, 3 * this.corners);
            this.p.fromBufferAttribute(normal, i).applyNormalMatrix(this.m).toArray(this.normal, 3 * this.corners);
            this.thing[this.corners++] = thing;
        }
    }

    triangle({ thing, local }: Piece): void {
        const e = local.elements;
        for (let k = 0; k < 3; k++) this.index[this.indices++] = this.corners + k;
        for (const [x, y] of [[-Math.sqrt(3), -1], [Math.sqrt(3), -1], [0, 2]]) {
            this.position.set([e[12], e[13], e[14]], 3 * this.corners);
            this.normal.set([x, y, Math.hypot(e[0], e[1], e[2])], 3 * this.corners);
            this.thing[this.corners++] = thing;
        }
    }

    geometry(): THREE.BufferGeometry {
        const out = new THREE.BufferGeometry();
        out.setAttribute("position", new THREE.BufferAttribute(this.position, 3));
        out.setAttribute("normal", new THREE.BufferAttribute(this.normal, 3));
        out.setAttribute("thing", new THREE.BufferAttribute(this.thing, 1));
        return out.setIndex(new THREE.BufferAttribute(this.index, 1));
    }
}

function copyGroups(groups: Group[]): THREE.BufferGeometry {
    const indices = groups.reduce((n, g) => n + g.pieces.length * (g.geometry.index?.count ?? g.geometry.getAttribute("position").count), 0);
    const heap = new Heap(groups.reduce((n, g) => n + cornersOf(g), 0), indices);
    for (const { geometry, pieces } of groups) for (const piece of pieces) heap.copy(geometry, piece);
    return heap.geometry();
}

function triangles(pieces: Piece[]): THREE.BufferGeometry {
    const heap = new Heap(3 * pieces.length, 3 * pieces.length);
    for (const piece of pieces) heap.triangle(piece);
    return heap.geometry();
}

function instances({ geometry, pieces }: Group): THREE.BufferGeometry {
    const out = new THREE.InstancedBufferGeometry();
    for (const name of ["position", "normal"]) out.setAttribute(name, geometry.getAttribute(name));
    out.setIndex(geometry.index);
    out.instanceCount = pieces.length;
    const each = (width: number, read: (p: Piece) => number[]) => new THREE.InstancedBufferAttribute(Float32Array.from(pieces.flatMap(read)), width);
    out.setAttribute("thing", each(1, (p) => [p.thing]));
    ["rowX", "rowY", "rowZ"].forEach((name, r) => out.setAttribute(name, each(4, ({ local: { elements: e } }) => [e[r], e[4 + r], e[8 + r], e[12 + r]])));
    return out;
}

// ---- Things ---------------------------------------------------------------------------------------------------------

export class Items {
    readonly group = new THREE.Group();
    readonly meshes: THREE.Mesh[] = [];
    private readonly texture: THREE.DataTexture;
    private readonly numbers: Float32Array;
    private readonly stride: number; // numbers of a thing
    private readonly uniforms: Uniforms;
    private readonly materials: THREE.Material[] = [];

    // `make` makes the material: basic, Lambert or standard. Things have a scale of their own where `scaled`.
    constructor(readonly count: number, groups: Group[], private readonly make: () => THREE.Material, private readonly scaled = false) {
        const texels = scaled ? 3 : 2;
        const rows = Math.max(1, Math.ceil(count / ACROSS));
        this.stride = 4 * texels;
        this.numbers = new Float32Array(this.stride * ACROSS * rows);
        this.texture = new THREE.DataTexture(this.numbers, texels * ACROSS, rows, THREE.RGBAFormat, THREE.FloatType);
        this.uniforms = { things: { value: this.texture }, sunDepth: { value: 0 } };
        const copied: Group[] = [];
        let room = COPIED;
        for (const g of groups.filter((g) => !g.ball).sort((a, b) => cornersOf(a) - cornersOf(b))) {
            if ((room -= cornersOf(g)) >= 0) copied.push(g);
            else this.add(instances(g), "instances");
        }
        if (copied.length) this.add(copyGroups(copied), "copied");
        for (const kind of ["ball", "alone"] as const) {
            const balls = groups.filter((g) => g.ball && Boolean(g.alone) === (kind === "alone")).flatMap((g) => g.pieces);
            if (balls.length) this.add(triangles(balls), kind);
        }
    }

    private add(geometry: THREE.BufferGeometry, kind: Kind): void {
        const material = this.make();
        const depth = new THREE.MeshDepthMaterial({ depthPacking: THREE.RGBADepthPacking });
        if (kind === "ball" || kind === "alone") material.shadowSide = THREE.DoubleSide;
        for (const m of [material, depth]) readThings(m, kind, this.scaled ? 3 : 2, this.uniforms);
        const mesh = new THREE.Mesh(geometry, material);
        mesh.customDepthMaterial = depth;
        mesh.frustumCulled = false;
        this.materials.push(material, depth);
        this.meshes.push(mesh);
        this.group.add(mesh);
    }

    // What a metre along the light is in the depths of the shadow map.
    setSunDepth(perMetre: number): void {
        this.uniforms.sunDepth.value = perMetre;
    }

    setGhost(ghost: boolean): void {
        this.setOpacity(ghost ? 0.38 : 1);
    }

    setOpacity(opacity: number): void {
        const ghost = opacity < 1;
        for (const mesh of this.meshes) {
            const material = mesh.material as THREE.Material;
            material.transparent = ghost;
            material.opacity = opacity;
            material.depthWrite = !ghost;
            material.needsUpdate = true;
            mesh.castShadow = mesh.receiveShadow = !ghost;
            mesh.renderOrder = ghost ? 2 : 0;
        }
    }

    // The pose of thing i: a position, and a quaternion w, x, y, z, from `at` and `from` on.
    setPose(i: number, position: Float64Array, at: number, q: Float64Array, from: number): void {
        const out = this.numbers, k = this.stride * i;
        out[k] = q[from + 1]; out[k + 1] = q[from + 2]; out[k + 2] = q[from + 3]; out[k + 3] = q[from];
        out[k + 4] = position[at]; out[k + 5] = position[at + 1]; out[k + 6] = position[at + 2];
        this.texture.needsUpdate = true;
    }

    set(i: number, position: THREE.Vector3, q: THREE.Quaternion, scale?: THREE.Vector3): void {
        q.toArray(this.numbers, this.stride * i);
        position.toArray(this.numbers, this.stride * i + 4);
        if (scale) scale.toArray(this.numbers, this.stride * i + 8);
        this.texture.needsUpdate = true;
    }

    paint(i: number, { r, g, b }: THREE.Color): void {
        const byte = (x: number) => Math.round(255 * Math.sqrt(Math.min(Math.max(x, 0), 1)));
        this.numbers[this.stride * i + 7] = 65536 * byte(r) + 256 * byte(g) + byte(b);
        this.texture.needsUpdate = true;
    }

    colour(i: number): [number, number, number] {
        const packed = this.numbers[this.stride * i + 7];
        return [packed >> 16, (packed >> 8) & 255, packed & 255].map((x) => (x / 255) ** 2) as [number, number, number];
    }

    // Draws the first pieces alone; for pieces of one geometry.
    show(count: number): void {
        const { geometry } = this.meshes[0];
        geometry.setDrawRange(0, (geometry.index!.count / this.count) * count);
    }

    dispose(): void {
        this.texture.dispose();
        this.meshes.forEach((mesh) => mesh.geometry.dispose());
        this.materials.forEach((material) => material.dispose());
    }
}
