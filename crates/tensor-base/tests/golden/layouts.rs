//! `layouts.json`: strides and index maps of the image layouts, and the layout that strides say.

use stratal_tensor_base::{BlockedImage, ChannelBlock, Geometry, Layout, Shape};

use crate::{add_to_checksum, load::fixture, placed};

#[derive(serde::Deserialize)]
struct Fixture {
    maps: Vec<Map>,
    derive: Vec<(Vec<i64>, Vec<i64>, String)>,
}

#[derive(serde::Deserialize)]
struct Map {
    shape: Vec<i64>,
    nchw_strides: Vec<i32>,
    nhwc_strides: Vec<i32>,
    nhwc_sum: String,
    nhwc_map: Option<Vec<usize>>,
    c8: Blocked,
    c16: Blocked,
}

#[derive(serde::Deserialize)]
struct Blocked {
    size: usize,
    sum: String,
    pad_count: usize,
    pad_sum: String,
    map: Option<Vec<usize>>,
    pad: Option<Vec<usize>>,
}

fn load() -> Fixture {
    fixture(include_str!("../fixtures/layouts.json"))
}

fn assert_indices(indices: &[usize], map: Option<&Vec<usize>>, sum: &str) {
    let checksum = indices
        .iter()
        .enumerate()
        .fold(0, |sum, (position, index)| add_to_checksum(sum, position as u64, *index as u64));
    assert_eq!(format!("{checksum:016x}"), sum);
    if let Some(map) = map {
        assert_eq!(indices, map);
    }
}

#[test]
fn strided_layouts_place_every_element() {
    for map in load().maps {
        let shape = Shape::new(&map.shape).unwrap();
        let nchw = Geometry::image(shape, Layout::Nchw).unwrap();
        let nhwc = Geometry::image(shape, Layout::Nhwc).unwrap();
        assert_eq!(nchw.strides(), map.nchw_strides);
        assert_eq!(nhwc.strides(), map.nhwc_strides);
        assert_indices(&nhwc.offsets().collect::<Vec<_>>(), map.nhwc_map.as_ref(), &map.nhwc_sum);
    }
}

#[test]
fn blocked_layouts_place_every_element_and_know_their_padding() {
    for map in load().maps {
        let shape = Shape::new(&map.shape).unwrap();
        for (block, expected) in [(ChannelBlock::Eight, &map.c8), (ChannelBlock::Sixteen, &map.c16)] {
            let image = BlockedImage::new(shape, block).unwrap();
            assert_eq!(image.physical_shape().count(), expected.size);

            let indices = logical_indices(&shape).map(|index| image.physical_index(index).unwrap());
            let indices: Vec<usize> = indices.collect();
            assert_indices(&indices, expected.map.as_ref(), &expected.sum);

            let mut padding: Vec<usize> = image.padding().iter().flat_map(Geometry::offsets).collect();
            padding.sort_unstable();
            assert_eq!(padding.len(), expected.pad_count);
            assert_indices(&padding, expected.pad.as_ref(), &expected.pad_sum);

            // The views a copy walks block by block name the same places as the map.
            let mut copied = vec![usize::MAX; shape.count()];
            let logical = Geometry::contiguous(shape);
            for number in 0..image.blocks() {
                let stored = image.channel_block(number).unwrap();
                let channels = stored.shape().extent(1) as i64;
                let first = (number * block.channels()) as i64;
                let part = logical.narrow(1, first, channels).unwrap();
                for (logical, stored) in part.offsets().zip(stored.offsets()) {
                    copied[logical] = stored;
                }
            }
            assert_eq!(copied, indices);
            assert!(image.channel_block(image.blocks()).is_none());
        }
    }
}

#[test]
fn the_layout_is_told_from_the_strides() {
    for (extents, strides, expected) in load().derive {
        let image = placed(&extents, &strides);
        assert_eq!(format!("{:?}", image.layout()), expected, "{image:?}");
        assert!(image.matches(image.layout()));
    }
}

/// All indices of a shape of rank 4, in row-major order.
fn logical_indices(shape: &Shape) -> impl Iterator<Item = [usize; 4]> {
    let extents: [u32; 4] = shape.extents().try_into().unwrap();
    let [batch, channels, height, width] = extents.map(|extent| extent as usize);
    (0..batch * channels * height * width).map(move |position| {
        let (rest, column) = (position / width, position % width);
        let (rest, row) = (rest / height, rest % height);
        [rest / channels, rest % channels, row, column]
    })
}
